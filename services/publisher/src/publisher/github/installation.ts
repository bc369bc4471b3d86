/** What the App can ask about its own installations, with its key alone. */
import { errorCodeOf } from '@sallyport/shared/errors';
import { z } from 'zod';
import type { Github } from './client.ts';
import { readReply } from './reply.ts';

export interface InstallationFacts {
  suspended: boolean;
  permissions: Readonly<Record<string, string>>;
}

/** The installation as it is now, or null when there is none of this id. */
export async function readInstallation(
  github: Github,
  installationId: number,
): Promise<InstallationFacts | null> {
  const schema = z.object({
    suspended_at: z.string().nullish(),
    permissions: z.record(z.string(), z.string()),
  });
  try {
    return await github.asApp(async (octokit) => {
      const reply = await octokit.request('GET /app/installations/{installation_id}', {
        installation_id: installationId,
      });
      const { suspended_at, permissions } = readReply(schema, reply, 'reading the installation');
      return { suspended: (suspended_at ?? null) !== null, permissions };
    });
  } catch (error) {
    if (errorCodeOf(error) === 'not_found') return null;
    throw error;
  }
}

/** The id of the installation that covers a repository now, or null. */
export async function resolveInstallation(
  github: Github,
  repository: { owner: string; name: string },
): Promise<number | null> {
  try {
    return await github.asApp(async (octokit) => {
      const reply = await octokit.request('GET /repos/{owner}/{repo}/installation', {
        owner: repository.owner,
        repo: repository.name,
      });
      return readReply(z.object({ id: z.int() }), reply, 'finding the installation').id;
    });
  } catch (error) {
    if (errorCodeOf(error) === 'not_found') return null;
    throw error;
  }
}
