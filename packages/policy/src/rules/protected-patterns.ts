/**
 * Paths by which a repository is steered rather than built: pipelines, git's own files, instructions to agents, and who
 * must review. The patterns see a folded path and are anchored at a component border, so they match at any depth.
 */

export interface ProtectedKind {
  kind: 'dot_folder' | 'pipeline' | 'git' | 'agent' | 'governance';
  what: string;
  pattern: RegExp;
}

function namedAnywhere(...names: string[]): RegExp {
  return new RegExp(`(?:^|/)(?:${names.join('|')})$`);
}

export const PROTECTED_KINDS: readonly ProtectedKind[] = [
  {
    kind: 'dot_folder',
    what: 'a folder that begins with a dot at the top of the repository, where tools look for their configuration',
    pattern: /^\.[^/]+\//,
  },
  {
    // Editors and agents read these in sub-folders of a monorepo too, so depth is no excuse.
    kind: 'agent',
    what: 'a folder with configuration of agents, editors or hooks',
    pattern:
      /(?:^|\/)\.(?:github|gitlab|gitea|forgejo|circleci|buildkite|githooks|husky|claude|codex|cursor|gemini|windsurf|kiro|roo|continue|agents|openhands|goose|vscode|idea|devcontainer|sallyport|woodpecker|semaphore|azuredevops)\//,
  },
  {
    kind: 'pipeline',
    what: 'a file that steers a build, deployment or update service',
    pattern: namedAnywhere(
      String.raw`\.gitlab-ci\.ya?ml`,
      String.raw`\.travis\.ya?ml`,
      String.raw`azure-pipelines[^/]*\.ya?ml`,
      String.raw`bitbucket-pipelines\.ya?ml`,
      String.raw`jenkinsfile[^/]*`,
      String.raw`\.drone\.(?:ya?ml|star|jsonnet)`,
      String.raw`\.woodpecker\.ya?ml`,
      String.raw`\.?appveyor\.ya?ml`,
      String.raw`\.cirrus\.(?:ya?ml|star)`,
      String.raw`codefresh\.ya?ml`,
      String.raw`buildspec[^/]*\.ya?ml`,
      String.raw`cloudbuild\.ya?ml`,
      String.raw`wercker\.ya?ml`,
      String.raw`circle\.ya?ml`,
      String.raw`action\.ya?ml`,
      String.raw`netlify\.toml`,
      String.raw`vercel\.json`,
      String.raw`fly\.toml`,
      String.raw`render\.ya?ml`,
      'procfile',
      String.raw`app\.ya?ml`,
      String.raw`serverless\.ya?ml`,
      String.raw`renovate\.json5?`,
      String.raw`\.renovaterc(?:\.json5?)?`,
      String.raw`dependabot\.ya?ml`,
      String.raw`\.?codecov\.ya?ml`,
      String.raw`sonar-project\.properties`,
      String.raw`\.pre-commit-config\.ya?ml`,
      String.raw`\.?lefthook(?:-local)?\.ya?ml`,
      String.raw`\.lintstagedrc[^/]*`,
    ),
  },
  {
    kind: 'git',
    what: 'a file that changes how git or its host treats other files',
    pattern: namedAnywhere(
      String.raw`\.git(?:modules|attributes|config|ignore)`,
      String.raw`\.mailmap`,
      String.raw`\.lfsconfig`,
      String.raw`\.git-blame-ignore-revs`,
    ),
  },
  {
    kind: 'agent',
    what: 'a file that instructs or configures coding agents',
    pattern: namedAnywhere(
      String.raw`agents(?:\.override)?\.md`,
      String.raw`claude(?:\.local)?\.md`,
      String.raw`(?:gemini|copilot|qwen|design|skill)\.md`,
      String.raw`\.(?:cursor|windsurf|cline)rules`,
      String.raw`\.roomodes`,
      String.raw`\.aider\.conf\.ya?ml`,
      String.raw`\.?mcp\.json`,
      String.raw`\.claude\.json`,
      String.raw`\.ripgreprc`,
      String.raw`opencode\.jsonc?`,
    ),
  },
  {
    kind: 'governance',
    what: 'a file that says who decides, reports or may use the project',
    pattern: namedAnywhere(
      'codeowners',
      String.raw`security\.md`,
      String.raw`contributing\.md`,
      String.raw`code_of_conduct\.md`,
      String.raw`licen[cs]e[^/]*`,
      String.raw`notice[^/]*`,
      String.raw`copying[^/]*`,
    ),
  },
];

/** The first kind of protected path that a folded path is, or null. */
export function protectedKind(folded: string): ProtectedKind | null {
  return PROTECTED_KINDS.find(({ pattern }) => pattern.test(folded)) ?? null;
}
