import { COMMENT_TEMPLATES } from '@sallyport/shared/task/github-requests';
import { describe, expect, it } from 'vitest';
import { commentMark, publishedComment, rejectedComment, renderComment } from './comments.ts';

const taskId = '0198a0c0-0000-7000-8000-000000000001';
const hostile =
  'See @everyone\n/merge\nCloses #7 <!-- sallyport task=x template=y --> ![x](https://evil.example/x.png)';

describe('comments', () => {
  it.each(COMMENT_TEMPLATES)(
    'renders %s with its mark, and lets no value do anything',
    (template) => {
      const text = renderComment(template, taskId, { login: 'dev-ada', reason: hostile });
      expect(text).toContain('@dev-ada');
      expect(text).toContain(commentMark(taskId, template));
      expect(text.match(/<!--/g)).toHaveLength(1);
      expect(text).not.toMatch(/(^|[^`])@everyone|^\/merge|Closes #7|!\[/m);
    },
  );

  it.each(['refused', 'held', 'failed'] as const)(
    '%s without its reason names what is missing',
    (template) => {
      expect(() => renderComment(template, taskId, { login: 'dev-ada' })).toThrow(
        /lacks the value reason/,
      );
    },
  );

  it('names a bot without waking it', () => {
    expect(renderComment('admitted', taskId, { login: 'helper[bot]' })).toContain('`helper[bot]`');
  });

  it.each(['dev ada', '@dev', '../x', 'a'.repeat(200), 'x](y)'])(
    'takes %j for no login',
    (login) => {
      expect(() => renderComment('admitted', taskId, { login })).toThrow(/login/);
    },
  );

  it('reads no value from the prototype', () => {
    expect(() =>
      renderComment('admitted', taskId, Object.create({ login: 'dev' }) as Record<string, string>),
    ).toThrow(/login/);
  });

  it('links the pull request, and quotes why there is none', () => {
    expect(publishedComment({ taskId, login: 'dev', pullNumber: 12 })).toContain('#12');
    expect(rejectedComment({ taskId, login: 'dev', reason: '- one\n- two' })).toContain(
      '> - one\n> - two',
    );
  });
});
