/** The team form as an operator meets it: in a browser, with the page's own script under the page's own policy. */
import { readFileSync } from 'node:fs';
import { describeEnforcement } from '@sallyport/teams/readonly/describe-enforcement';
import { WRITING_SENTENCE } from '@sallyport/teams/readonly/enforcement-sentence';
import { readTeamFile } from '@sallyport/teams/read-team-file';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startBrowserConsole, type BrowserConsole } from './browser-fixture.ts';

const MARKUP = '<img src=x onerror="document.title=1"></textarea><script>document.title=1</script>';

let console_: BrowserConsole;
let page: Page;
beforeAll(async () => {
  console_ = await startBrowserConsole({
    teams: [
      {
        v: 1,
        name: 'house',
        description: MARKUP,
        nodes: [{ id: 'judge', agent: { cli: 'house-agent' }, prompt: MARKUP, readOnly: true }],
      },
    ],
    templates: {},
  });
});
afterAll(() => console_.close());
afterEach(() => console_.leave(page));

function node(number: number): Locator {
  return page.locator(`fieldset.node:nth-of-type(${number})`);
}

function says(number: number): Promise<string | null> {
  return node(number).locator('output').textContent();
}

async function expectSays(number: number, sentence: string): Promise<void> {
  await expect.poll(() => says(number), { timeout: 10_000, interval: 50 }).toBe(sentence);
}

async function act(name: string): Promise<void> {
  const sent = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name, exact: true }).click();
  await sent;
  await page.waitForLoadState('load');
}

it('says under the checkbox what holds, for each CLI, level and version, as it is chosen', async () => {
  page = await console_.open('/teams/new');
  await expectSays(1, WRITING_SENTENCE);
  await node(1).getByLabel('Read-only: this node').check();
  const cli = node(1).getByLabel('CLI', { exact: true });
  const level = node(1).getByLabel('Level');
  const said = new Set<string | null>();
  for (const name of ['claude', 'codex', 'gemini', 'house-agent']) {
    await cli.selectOption(name);
    for (const chosen of ['reflex', 'noShell'] as const) {
      await level.selectOption(chosen);
      await expectSays(1, describeEnforcement(name, chosen).sentence);
      said.add(await says(1));
    }
  }
  // Codex and a CLI without an adapter have no shell to take away: each says one thing for both levels.
  expect(said.size).toBe(6);
  expect(await says(1)).toContain('the mount keeps every write from the project');

  await cli.selectOption('');
  await node(1).getByLabel('Its name').fill('nobodys-agent');
  await expectSays(1, describeEnforcement('nobodys-agent', 'noShell').sentence);
  await cli.selectOption('claude');
  expect(await node(1).getByLabel('Its name').isVisible()).toBe(false);
  await node(1).getByLabel('Your version of the CLI').fill('99.0.0');
  await expectSays(1, describeEnforcement('claude', 'noShell', '99.0.0').sentence);
  expect(await says(1)).toContain('version 99.0.0 has not been verified');
  await node(1).getByLabel('Read-only: this node').uncheck();
  await expectSays(1, WRITING_SENTENCE);
  await page.getByLabel('Every node of this team is read-only').check();
  await expectSays(1, describeEnforcement('claude', 'noShell', '99.0.0').sentence);
});

it('goes from a wrong team, its problems beside the fields, to the file of a right one', async () => {
  page = await console_.open('/teams/new');
  await page.getByLabel('Name of the team').fill('pair');
  await node(1).getByLabel('Id').fill('Developer');
  await node(1).getByLabel('Prompt').fill('Do it.');
  await act('Add a node');
  expect(await page.locator('fieldset.node').count()).toBe(2);
  expect(await page.evaluate('document.activeElement.id')).toBe('at-nodes.1.id');
  await page.keyboard.type('qa');
  await node(2).getByLabel('Prompt').fill(`Verify.\n\n${MARKUP}`);
  await node(2).getByLabel('CLI', { exact: true }).selectOption('codex');
  await node(2).getByLabel('Read-only: this node').check();
  await act('Add an edge');
  await page.getByLabel('From', { exact: true }).fill('developer');
  await page.getByLabel('To', { exact: true }).fill('qaa');
  // Enter in a field checks, and removes nothing.
  const checked = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByLabel('To', { exact: true }).press('Enter');
  expect((await checked).status()).toBe(400);
  await page.waitForLoadState('load');
  const id = node(1).getByLabel('Id');
  expect(await id.getAttribute('aria-invalid')).toBe('true');
  const problem = node(1).locator('.problem');
  expect(await problem.textContent()).toContain('use a-z, 0-9 and -');
  expect(await id.getAttribute('aria-describedby')).toBe(
    await node(1).locator('.problems').getAttribute('id'),
  );

  await page.getByRole('alert').getByRole('link', { name: 'Node 1: id' }).click();
  await id.fill('developer');
  await act('Check and show the file');
  expect(await page.locator('fieldset.edge .problem').textContent()).toContain(
    'did you mean "qa"?',
  );
  await page.getByLabel('To', { exact: true }).fill('qa');
  await act('Check and show the file');

  expect(await page.locator('.problem').count()).toBe(0);
  const text = await page.locator('#file').inputValue();
  expect(readTeamFile(text)).toMatchObject({
    ok: true,
    problems: [],
    team: {
      name: 'pair',
      nodes: [
        { id: 'developer', readOnly: false },
        { id: 'qa', readOnly: true, agent: { cli: 'codex' }, prompt: `Verify.\n\n${MARKUP}` },
      ],
      edges: [{ from: 'developer', to: 'qa' }],
    },
  });
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download pair.yaml' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('pair.yaml');
  expect(readFileSync(await download.path(), 'utf8')).toBe(text);

  await act('Remove node 2');
  expect(await page.locator('fieldset.node').count()).toBe(1);
});

it('shows a team with markup in it as text, and gives its file back as it was', async () => {
  page = await console_.open('/teams');
  await page.getByRole('link', { name: 'house', exact: true }).click();
  await page.getByRole('link', { name: 'Open in the form' }).click();
  expect(await node(1).getByLabel('Prompt').inputValue()).toBe(MARKUP);
  await expectSays(1, describeEnforcement('house-agent', 'reflex').sentence);
  await act('Check and show the file');
  const { team } = readTeamFile(await page.locator('#file').inputValue());
  expect(team?.description).toBe(MARKUP);
  expect(team?.nodes[0]?.prompt).toBe(MARKUP);
  expect(await page.title()).toBe('Team · Sallyport');
  expect(await page.locator('img').count()).toBe(0);
});

it('needs no script: the form comes back with the sentence of what was chosen', async () => {
  page = await console_.open('/teams/new?from=dev-qa', { scripts: false });
  expect(await says(2)).toBe(describeEnforcement('claude', 'reflex').sentence);
  await node(2).getByLabel('CLI', { exact: true }).selectOption('gemini');
  await node(2).getByLabel('Level').selectOption('noShell');
  await act('Add a node');
  expect(await says(2)).toBe(describeEnforcement('gemini', 'noShell').sentence);
  await act('Remove node 3');
  await act('Check and show the file');
  const { team } = readTeamFile(await page.locator('#file').inputValue());
  expect(team?.nodes[1]).toMatchObject({ readOnlyLevel: 'noShell', agent: { cli: 'gemini' } });
});

it('says what the page said before, and nothing while the console does not answer', async () => {
  page = await console_.open('/teams/new?from=dev-qa');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.reload();
  expect(asked.filter((url) => url.includes('/api/'))).toEqual([]);
  let answer = (): void => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/api/teams/enforcement?*codex*', async (route) => {
    await held;
    await route.fulfill({ status: 503, body: 'no' });
  });
  await node(2).getByLabel('CLI', { exact: true }).selectOption('codex');
  await expectSays(2, '…');
  answer();
  await expectSays(2, 'The console did not answer; send the form to read it.');
  await node(2).getByLabel('CLI', { exact: true }).selectOption('claude');
  await expectSays(2, describeEnforcement('claude', 'reflex').sentence);
});
