/** The pages of the teams: the list, one team, and the form. None of them changes anything. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readHalt } from '@sallyport/shared/db/halt';
import { AppError } from '@sallyport/shared/errors';
import { describeEnforcement } from '@sallyport/teams/readonly/describe-enforcement';
import { READ_ONLY_LEVELS } from '@sallyport/teams/restriction-words';
import { CLI_PATTERN, type Team } from '@sallyport/teams/team';
import { TEMPLATES } from '@sallyport/teams/templates/find-template';
import { writeTeamFile, writeTeamJson } from '@sallyport/teams/write-team-file';
import { z } from 'zod';
import { requireOperator } from '../auth/authenticate.ts';
import type { SafeHtml } from '../html.ts';
import { readInput } from '../http/read-input.ts';
import { sendPage } from '../http/send-page.ts';
import { framed } from '../pages/layout.ts';
import { teamBody } from '../pages/teams/team-page.ts';
import { teamFormBody, type TeamFormPage } from '../pages/teams/team-form.ts';
import { teamsBody } from '../pages/teams/teams-page.ts';
import { checkDraft } from '../teams/check-draft.ts';
import { findKnownTeam, listKnownTeams, ownClis, type KnownTeam } from '../teams/known-teams.ts';
import type { OperatorTeams } from '../teams/operator-teams.ts';
import { applyAct, readTeamForm } from '../teams/read-team-form.ts';
import { draftOf, EMPTY_NODE, EMPTY_TEAM } from '../teams/team-draft.ts';
import type { PageOptions } from './task-routes.ts';

/** Room for a form whose file is near the largest that is read. */
const FORM_LIMIT_BYTES = 1024 * 1024;

const version = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the 64 digits of a hash')
  .optional();
const VersionQuery = z.object({ version });
const FormQuery = z.object({ from: z.string().max(100).optional(), version });
const EnforcementQuery = z.strictObject({
  cli: z.string().regex(CLI_PATTERN, 'use a-z, 0-9 and -, a letter first'),
  level: z.enum(READ_ONLY_LEVELS, { error: 'say reflex or noShell' }).default('reflex'),
  version: z.string().trim().max(60, 'use at most 60 characters').optional(),
});

export interface TeamPageOptions extends PageOptions {
  operatorTeams: OperatorTeams;
}

export function addTeamRoutes(app: FastifyInstance, options: TeamPageOptions): void {
  const { db, deployment, operatorTeams } = options;

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    page: { title: string; body: SafeHtml; script?: string },
  ): Promise<FastifyReply> {
    const { halts } = await readHalt(db);
    const operator = requireOperator(request);
    return sendPage(reply, framed({ ...page, operator, deployment, halts }));
  }

  async function sendForm(
    request: FastifyRequest,
    reply: FastifyReply,
    form: Omit<TeamFormPage, 'operator' | 'ownClis'>,
    known: readonly KnownTeam[],
  ): Promise<FastifyReply> {
    const own = ownClis(known.map(({ team }) => team));
    const body = teamFormBody({ ...form, ownClis: own, operator: requireOperator(request) });
    return send(request, reply, { title: 'Team', body, script: '/team-form.js' });
  }

  async function requireTeam(name: unknown, hash: string | undefined): Promise<KnownTeam> {
    const found =
      typeof name === 'string' ? await findKnownTeam(db, operatorTeams, name, hash) : undefined;
    if (found === undefined) throw new AppError('not_found', 'there is no such team');
    return found;
  }

  app.get('/teams', async (request, reply) => {
    const body = teamsBody(await listKnownTeams(db, operatorTeams), operatorTeams);
    return send(request, reply, { title: 'Teams', body });
  });

  app.get('/teams/new', async (request, reply) => {
    const query = readInput(FormQuery, request.query);
    const known = await listKnownTeams(db, operatorTeams);
    const templates = TEMPLATES.map(({ name }) => name);
    if (query.from === undefined) {
      return sendForm(request, reply, { draft: EMPTY_TEAM, templates }, known);
    }
    const { team } = await requireTeam(query.from, query.version);
    if (team === null) throw new AppError('conflict', 'that team cannot be read any more');
    return sendForm(request, reply, { draft: draftOf(team), templates: [] }, known);
  });

  app.post('/teams/check', { bodyLimit: FORM_LIMIT_BYTES }, async (request, reply) => {
    const { draft: sent, act } = readTeamForm(request.body);
    const draft = applyAct(sent, act, EMPTY_NODE);
    const known = await listKnownTeams(db, operatorTeams);
    if (act !== 'check' && act !== 'download_yaml' && act !== 'download_json') {
      const focus =
        act === 'add_node'
          ? `nodes.${draft.nodes.length - 1}`
          : act === 'add_edge'
            ? `edges.${draft.edges.length - 1}`
            : undefined;
      const form = { draft, templates: [], ...(focus !== undefined && { focus }) };
      return sendForm(request, reply, form, known);
    }
    const checked = checkDraft(draft, ownClis(operatorTeams.teams));
    if (act !== 'check' && checked.result !== undefined) {
      return sendFile(reply, checked.result.team, act === 'download_json' ? 'json' : 'yaml');
    }
    if (checked.result === undefined) reply.code(400);
    return sendForm(request, reply, { draft, templates: [], checked }, known);
  });

  app.get('/teams/:name', async (request, reply) => {
    const { name } = request.params as { name?: unknown };
    const known = await requireTeam(name, readInput(VersionQuery, request.query).version);
    return send(request, reply, { title: `Team ${known.name}`, body: teamBody(known) });
  });

  app.get('/teams/:name/file', async (request, reply) => {
    const { name } = request.params as { name?: unknown };
    const { team } = await requireTeam(name, readInput(VersionQuery, request.query).version);
    if (team === null) throw new AppError('conflict', 'that team cannot be read any more');
    return sendFile(reply, team, 'yaml');
  });

  app.get('/api/teams/enforcement', async (request) => {
    const asked = readInput(EnforcementQuery, request.query);
    return describeEnforcement(asked.cli, asked.level, asked.version || undefined);
  });
}

/** A parsed team's name is safe in a header: a-z, 0-9 and -. */
function sendFile(reply: FastifyReply, team: Team, form: 'yaml' | 'json'): FastifyReply {
  const text = form === 'yaml' ? writeTeamFile(team) : writeTeamJson(team);
  return reply
    .type(`application/${form}; charset=utf-8`)
    .header('content-disposition', `attachment; filename="${team.name}.${form}"`)
    .send(text);
}
