import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../command-table.ts';
import { runCli } from '../run-cli.ts';

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sp-team-'));
});
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});

async function run(...argv: string[]) {
  let out = '';
  let err = '';
  const code = await runCli(argv, COMMANDS, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}
async function answer(
  ...argv: string[]
): Promise<{ code: number; value: Record<string, unknown> }> {
  const [name = '', ...rest] = argv;
  const { code, out } = await run(name, '--json', ...rest);
  return { code, value: JSON.parse(out) as Record<string, unknown> };
}
function file(text: string): string {
  const path = join(dir, `${Math.random().toString(36).slice(2)}.yaml`);
  writeFileSync(path, text);
  return path;
}

const TEAM = `v: 1
name: mine
nodes:
  - { id: a, agent: { cli: claude }, prompt: x }
  - { id: b, agent: { cli: scripted }, prompt: x, readOnly: true }
edges: [{ from: a, to: b }]
`;

describe('readonly', () => {
  it('answers with the whole list and what it is worth', async () => {
    expect(
      await answer('readonly', 'codex', '--', 'exec', '--yolo', '-sworkspace-write', 'x'),
    ).toEqual({
      code: 0,
      value: expect.objectContaining({
        cli: 'codex',
        version: '0.171.0',
        argv: ['exec', 'x', '-s', 'read-only'],
        env: {},
        enforcedBy: 'os_sandbox',
        verified: true,
        leavesOpen: [expect.stringContaining('MCP')],
        prompt: expect.stringContaining('read-only'),
      }),
    });
  });

  it('takes the program in front for the program', async () => {
    const { value } = await answer(
      'readonly',
      'qwen',
      '--level',
      'noShell',
      '--',
      '/usr/bin/qwen',
      '-y',
    );
    expect(value['argv']).toEqual([
      '/usr/bin/qwen',
      '-y',
      '--safe-mode',
      '--exclude-tools',
      'write_file,edit,notebook_edit,run_shell_command',
    ]);
  });

  it('prints a line that a shell takes, and the prompt when asked', async () => {
    const plain = await run('readonly', 'claude', '--', 'claude', '-p', "it's");
    expect(plain.out).toMatch(
      /^claude -p 'it'\\''s' --setting-sources user .*'Edit,Write,.*Bash\(sed -i:\*\)'\n$/,
    );
    expect(plain.err).toContain('seen in version 2.1.332');
    expect((await run('readonly', 'claude', '--prompt')).out).toContain('This step is read-only');
    expect((await run('readonly', 'copilot')).out).toMatch(
      /^env -u COPILOT_ALLOW_ALL --excluded-tools/,
    );
    expect((await run('readonly', 'gemini', '--files', '/etc/x')).out).toContain(
      '/etc/x/gemini-read-only.toml, to be written before the start:',
    );
  });

  it('says of an unknown version and an unknown CLI that nothing was verified', async () => {
    expect((await answer('readonly', 'claude', '--version', '99.0.0')).value).toMatchObject({
      version: '99.0.0',
      verified: false,
      enforcedBy: 'cli_refusal',
    });
    expect((await answer('readonly', 'claud', '--', '-x')).value).toMatchObject({
      cli: 'claud',
      argv: ['-x'],
      verified: false,
      enforcedBy: 'written_rule',
    });
    expect((await run('readonly', 'claud')).err).toContain('did you mean "claude"?');
  });

  it.each([
    [['readonly']],
    [['readonly', 'claude', '--level', 'none']],
    [['readonly', 'codex', '--', 'exec', 'resume']],
  ])('refuses %j as wrong use', async (argv) => {
    expect(await run(...argv)).toMatchObject({ code: 2, out: '' });
  });
});

describe('team', () => {
  it('lists the teams that ship', async () => {
    const { value } = await answer('team', 'list');
    expect((value['teams'] as { name: string }[]).map((team) => team.name)).toEqual([
      'dev-qa',
      'dev-qa-loop',
      'bug-hunt',
      'release-shield',
      'feature-squad',
    ]);
  });

  it('shows who is read-only and what enforces it', async () => {
    expect((await answer('team', 'show', 'dev-qa')).value['nodes']).toMatchObject([
      { id: 'developer', readOnly: false, enforcedBy: 'not_read_only' },
      { id: 'qa', readOnly: true, enforcedBy: 'cli_refusal', verified: true },
    ]);
    const { code, value } = await answer('team', 'show', file(TEAM));
    expect(code).toBe(0);
    expect(value['nodes']).toMatchObject([
      { id: 'a', readOnly: false },
      { id: 'b', readOnly: true, enforcedBy: 'written_rule', verified: false },
    ]);
    expect((await run('team', 'show', 'release-shield')).out).toContain('is stopped by the mount');
  });

  it('answers no for a team that does not ship, with the nearest name', async () => {
    expect(await run('team', 'show', 'dev-qaa')).toMatchObject({
      code: 1,
      err: expect.stringContaining('did you mean "dev-qa"?'),
    });
  });

  it('validates a file: yes with its warnings, no with its problems and their places', async () => {
    expect(await answer('team', 'validate', file(TEAM))).toMatchObject({
      code: 0,
      value: {
        ok: true,
        problems: [{ line: 5, column: 28, code: 'unknown_cli', severity: 'warning' }],
      },
    });
    expect(await answer('team', 'validate', file(TEAM), '--custom-cli', 'scripted')).toEqual({
      code: 0,
      value: { ok: true, problems: [] },
    });
    expect(
      await answer(
        'team',
        'validate',
        file(TEAM.replace('to: b', 'to: c')),
        '--custom-cli',
        'scripted',
      ),
    ).toEqual({
      code: 1,
      value: {
        ok: false,
        problems: [
          {
            line: 6,
            column: 24,
            code: 'edge_to_nowhere',
            severity: 'error',
            message: 'there is no node "c"',
          },
        ],
      },
    });
  });

  it.each([
    [['team']],
    [['team', 'draw']],
    [['team', 'show']],
    [['team', 'validate']],
    [['team', 'list', 'x']],
    [['team', 'validate', '/nowhere/team.yaml']],
  ])('refuses %j as wrong use', async (argv) => {
    expect(await run(...argv)).toMatchObject({ code: 2, out: '' });
  });
});
