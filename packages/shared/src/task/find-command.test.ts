/** Commands: what counts as one, and every place in which the same words are somebody else's, an example, or invisible. */
import { describe, expect, it } from 'vitest';
import { findCommand } from './find-command.ts';

describe('findCommand', () => {
  it.each([
    ['/agent fix', { verb: 'fix', team: null, text: '' }],
    ['/agent fix this', { verb: 'fix', team: null, text: 'this' }],
    ['/agent  FIX   the  é😊 ', { verb: 'fix', team: null, text: 'the  é😊' }],
    ['/agent\tfix\tthis', { verb: 'fix', team: null, text: 'this' }],
    ['/agent fix --team reviewers', { verb: 'fix', team: 'reviewers', text: '' }],
    ['/agent fix --team=reviewers and test', { verb: 'fix', team: 'reviewers', text: 'and test' }],
    ['/agent fix --team', { verb: 'fix', team: '', text: '' }],
    ['/agent fix --team ../etc x', { verb: 'fix', team: '', text: 'x' }],
    ['/agent fix --team \u0000', { verb: 'fix', team: '', text: '' }],
    ['/agent fix with --team x', { verb: 'fix', team: null, text: 'with --team x' }],
    ['/agent fix --teams x', { verb: 'fix', team: null, text: '--teams x' }],
    ['/agent review', { verb: 'review', team: null, text: '' }],
    ['Please.\r\n\r\n/agent fix this\r\nThanks', { verb: 'fix', team: null, text: 'this' }],
    [
      '/agent fix this <!-- and push to main --> now',
      { verb: 'fix', team: null, text: 'this  now' },
    ],
    ['/agent fix this <!-- and push to main', { verb: 'fix', team: null, text: 'this' }],
  ])('reads %j', (comment, command) => {
    expect(findCommand(comment)).toEqual(command);
  });

  it.each([
    '',
    'nothing',
    '/agent',
    '/agent ',
    '/agents fix',
    '/agentfix',
    '/AGENT fix',
    'please /agent fix',
    ' /agent fix',
    '- /agent fix',
    '\u200b/agent fix',
    '/agent 1',
    '/agent fix.this',
    '\\/agent fix',
    '**/agent fix**',
    '`/agent fix`',
    '@bot /agent fix',
    '/agent\u2028fix',
  ])('finds none in %j', (comment) => {
    expect(findCommand(comment)).toBeNull();
  });

  it('takes the first of several', () => {
    expect(findCommand('/agent review\n/agent fix this')?.verb).toBe('review');
    expect(findCommand('> /agent review\n\n/agent fix this')?.verb).toBe('fix');
  });

  it.each([
    ['a fence', '```\n/agent fix\n```'],
    ['a fence with a language', 'so:\n```sh\n/agent fix\n```'],
    ['a longer fence that holds a shorter one', '````\n```\n/agent fix\n```\n````'],
    ['a tilde fence', '~~~ `x`\n/agent fix\n~~~'],
    ['a tilde fence that holds a backtick fence', '~~~\n```\n```\n/agent fix\n~~~'],
    ['a fence closed by one with words', '```\n``` end\n/agent fix\n```'],
    ['a fence that is never closed', '```\n/agent fix'],
    ['a fence three columns in', '   ```\n/agent fix\n   ```'],
    ['a fence in a list', '- ```\n/agent fix\n  ```'],
    ['a fence in a numbered list', '1. ```\n/agent fix\n   ```'],
    ['indented code', 'so:\n\n    /agent fix'],
    ['code indented by a tab', 'so:\n\n\t/agent fix'],
    ['a quote', '> /agent fix'],
    ['a quote without a space', '>/agent fix'],
    ['a quote in a quote', '> > /agent fix'],
    ['an HTML comment', '<!--\n/agent fix\n-->'],
    ['an HTML comment behind words', 'Thanks <!-- template\n\n/agent fix\n-->'],
    ['an HTML comment that is never closed', '<!-- \n/agent fix'],
    ['a second HTML comment of a line', '<!-- a --> <!-- b\n/agent fix\n-->'],
    ['an HTML comment that opens where another ends', '<!--\n--> x <!--\n/agent fix\n-->'],
    ['verbatim HTML', '<pre>\n/agent fix\n</pre>'],
    ['an HTML quote', '<blockquote>\n\n/agent fix\n\n</blockquote>'],
    ['a script block', '<SCRIPT type="x">\n/agent fix\n</SCRIPT>'],
  ])('finds none in %s', (_place, comment) => {
    expect(findCommand(comment)).toBeNull();
  });

  it.each([
    ['a closed fence', '```\n/agent review\n```\n/agent fix'],
    ['a fence closed by a longer one', '```\n/agent review\n`````  \n/agent fix'],
    ['a closed tilde fence', '~~~\n/agent review\n~~~\n/agent fix'],
    ['a closed fence in a list', '- ```\n  /agent review\n  ```\n\n/agent fix'],
    ['a closed fence in a deep list', '1.  ```\n    /agent review\n    ```\n\n/agent fix'],
    ['indented code that shows a fence', 'so:\n\n    ```\n\n/agent fix'],
    ['words in backticks that look like a fence', '``` a ` b\n/agent fix'],
    ['a quote', '> /agent review\n\n/agent fix'],
    ['a line under a quote', '> what do you think?\n/agent fix'],
    ['a fence in a quote', '> ```\n\n/agent fix'],
    ['a closed HTML comment', '<!--\n/agent review\n-->\n/agent fix'],
    ['a closed HTML comment on one line', '<!-- /agent review -->\n/agent fix'],
    ['an empty HTML comment', '<!-->\n/agent fix'],
    ['an HTML comment in a code span', 'write `<!--` first\n/agent fix'],
    ['a closed block', '<pre>\n/agent review\n</pre>\n/agent fix'],
    ['a word like a block', '<prefix>\n/agent fix'],
  ])('finds the one behind %s', (_place, comment) => {
    expect(findCommand(comment)?.verb).toBe('fix');
  });

  it('reads the longest comment that GitHub allows without effort', () => {
    for (const piece of ['`', '<!--', '<pre', '> ', '- ', '~~~\n', '/agent ', '` `` ']) {
      const started = performance.now();
      findCommand(piece.repeat(Math.ceil(65_536 / piece.length)));
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });
});
