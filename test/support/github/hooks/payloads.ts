/**
 * Builds payloads out of GitHub's published examples, with every object replaced by the state's own, so that ids, times
 * and addresses in a delivery agree with what REST answers for the same objects.
 */
import { createRequire } from 'node:module';
import { AppError } from '@sallyport/shared/errors';
import { fullNameOf, installationFor, reposOf, userById, type State } from '../state/state.ts';
import type { Installation, Repo, User } from '../state/types.ts';
import { installationView } from '../view/app-view.ts';
import { apiUrl, nodeId, type Json } from '../view/common.ts';
import { repositoryView } from '../view/repository-view.ts';
import { userView } from '../view/user-view.ts';

interface ExampleSet {
  readonly name: string;
  readonly examples: readonly Json[];
}

let examples: readonly ExampleSet[] | undefined;

function examplesOf(event: string): readonly Json[] {
  examples ??= createRequire(import.meta.url)('@octokit/webhooks-examples') as ExampleSet[];
  const found = examples.find((one) => one.name === event);
  if (!found) throw new AppError('not_found', `finding an example of the event ${event}`);
  return found.examples;
}

/** The example for this event and action, with an installation in it where there is one. */
function exampleOf(event: string, action: string | null): Json {
  const all = examplesOf(event);
  const fitting = all.filter((one) => action === null || one['action'] === action);
  const chosen =
    fitting.find((one) => 'installation' in one) ??
    fitting[0] ??
    all.find((one) => 'installation' in one) ??
    all[0];
  if (!chosen) throw new AppError('not_found', `finding an example of ${event} ${action ?? ''}`);
  return chosen;
}

function rewrite(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((one) => rewrite(one, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, rewrite(one, replace)]),
  );
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the example knows and we do not, under what we know. */
function overlay(example: unknown, ours: unknown): unknown {
  if (!isRecord(example) || !isRecord(ours)) return ours;
  const merged: Json = { ...example, ...ours };
  // Whether an issue is a pull request is told by this key's presence alone.
  if (!('pull_request' in ours)) delete merged['pull_request'];
  return merged;
}

function organizationView(state: State, owner: User): Json {
  const api = `${apiUrl(state)}/orgs/${owner.login}`;
  return {
    login: owner.login,
    id: owner.id,
    node_id: nodeId('Organization', owner.id),
    url: api,
    repos_url: `${api}/repos`,
    events_url: `${api}/events`,
    hooks_url: `${api}/hooks`,
    issues_url: `${api}/issues`,
    members_url: `${api}/members{/member}`,
    public_members_url: `${api}/public_members{/member}`,
    avatar_url: `${state.url}/avatars/u/${owner.id}`,
    description: '',
  };
}

/** Other events name the installation by its id alone; those about an installation carry all of it. */
function installationField(state: State, installation: Installation, whole: boolean): Json {
  if (whole) return installationView(state, installation);
  return { id: installation.id, node_id: nodeId('Installation', installation.id) };
}

function shortRepository(state: State, repo: Repo): Json {
  const { id, name, isPrivate } = repo;
  const full_name = fullNameOf(state, repo);
  return { id, node_id: nodeId('Repository', id), name, full_name, private: isPrivate };
}

export interface PayloadInput {
  readonly event: string;
  readonly action: string | null;
  readonly repo: Repo;
  /** null: the sender's account was deleted. */
  readonly sender: User | null;
  /** The event's own objects, such as `issue`, `comment`, `label`, `changes`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export function buildPayload(state: State, input: PayloadInput): Json {
  const { repo } = input;
  const example = exampleOf(input.event, input.action);
  const exampleRepo = isRecord(example['repository']) ? example['repository'] : {};
  const exampleName = String(exampleRepo['full_name'] ?? 'Codertocat/Hello-World');
  const fullName = fullNameOf(state, repo);
  const owner = userById(state, repo.ownerId);
  const replace = (text: string): string =>
    text
      .replaceAll('https://api.github.com', apiUrl(state))
      .replaceAll('https://github.com', state.url)
      .replaceAll(exampleName, fullName)
      .replaceAll(exampleName.split('/')[0] ?? exampleName, owner.login);
  const installation = installationFor(state, repo);
  const aboutInstallation = input.event.startsWith('installation');
  const known: Json = {
    ...(input.action === null ? {} : { action: input.action }),
    ...(aboutInstallation ? {} : { repository: repositoryView(state, repo) }),
    ...(owner.type === 'Organization' ? { organization: organizationView(state, owner) } : {}),
    sender: input.sender === null ? null : userView(state, input.sender),
    ...(installation
      ? { installation: installationField(state, installation, aboutInstallation) }
      : {}),
    ...(input.event === 'installation' && installation
      ? { repositories: reposOf(state, installation).map((one) => shortRepository(state, one)) }
      : {}),
    ...input.fields,
  };
  const payload: Json = {};
  for (const [key, value] of Object.entries(example)) {
    if (key in known) payload[key] = overlay(rewrite(value, replace), known[key]);
    else if (!['organization', 'installation', 'repository', 'action'].includes(key))
      payload[key] = rewrite(value, replace);
  }
  for (const [key, value] of Object.entries(known)) if (!(key in payload)) payload[key] = value;
  return payload;
}
