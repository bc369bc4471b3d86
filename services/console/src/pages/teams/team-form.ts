/**
 * A team as a form. It works without a script: rows are added and removed by its buttons, which send it and bring it back.
 * Nothing that is written in it takes effect; what comes out of it is the text of a file.
 */
import { OUTCOMES } from '@sallyport/teams/hand-off';
import { WRITING_SENTENCE } from '@sallyport/teams/readonly/enforcement-sentence';
import type { TeamProblem } from '@sallyport/teams/team-problem';
import type { Operator } from '../../auth/authenticate.ts';
import { html, type SafeHtml } from '../../html.ts';
import type { CheckedDraft } from '../../teams/check-draft.ts';
import { UNNAMED_SENTENCE } from '../../teams/draft-enforcement.ts';
import type { EdgeDraft, TeamDraft } from '../../teams/team-draft.ts';
import { csrfField } from '../layout.ts';
import {
  checkBox,
  idOf,
  placeInWords,
  placeProblems,
  problemsAt,
  selectField,
  sentenceOf,
  textArea,
  textField,
  type PlacedProblems,
} from './field.ts';
import { LEVEL_OPTIONS, nodeFields } from './node-fields.ts';

export interface TeamFormPage {
  draft: TeamDraft;
  operator: Operator;
  ownClis: readonly string[];
  /** Shipped teams from which one may begin, on the page of an empty form. */
  templates: readonly string[];
  /** Present once the form was sent to be checked. */
  checked?: CheckedDraft;
  /** The place that the reader is led to: a row that has just been added. */
  focus?: string;
}

export function teamFormBody(page: TeamFormPage): SafeHtml {
  const { draft, operator, ownClis, checked, focus } = page;
  const places = placesOf(draft);
  const problems = placeProblems(checked?.problems ?? [], places);
  return html`${checked === undefined ? intro(page.templates) : outcome(checked, places)}
    <form
      method="post"
      action="/teams/check"
      class="team"
      id="team"
      data-writes="${WRITING_SENTENCE}"
      data-unnamed="${UNNAMED_SENTENCE}"
    >
      ${csrfField(operator)}
      <button class="first" name="act" value="check" tabindex="-1" aria-hidden="true">Check</button>
      <div class="row">
        ${textField({ problems, name: 'name', label: 'Name of the team', value: draft.name, maxLength: 40, placeholder: 'a-z, 0-9 and -' })}
      </div>
      ${textArea({ problems, name: 'description', label: 'Description', value: draft.description, rows: 1, maxLength: 2000 })}
      <div class="row">
        ${checkBox({ name: 'readOnly', label: 'Every node of this team is read-only', checked: draft.readOnly })}
        ${selectField({ problems, name: 'readOnlyLevel', label: 'at least at level', value: draft.readOnlyLevel, options: LEVEL_OPTIONS })}
        ${textField({ problems, name: 'entry', label: 'Begins at', value: draft.entry, placeholder: 'where no edge leads', list: 'node-ids', maxLength: 2000 })}
      </div>
      <h2 id="nodes">Nodes</h2>
      ${problemsAt(problems, 'nodes')}
      ${draft.nodes.map((node, index) =>
        nodeFields({
          team: draft,
          node,
          index,
          ownClis,
          problems,
          focus: focus === `nodes.${index}`,
        }),
      )}
      <button name="act" value="add_node">Add a node</button>
      <h2 id="edges">Edges</h2>
      <p class="empty">
        A step ends with an outcome; every edge from its node with that outcome, or with any, is
        taken. No edge: the run ends there.
      </p>
      ${problemsAt(problems, 'edges')}
      ${draft.edges.map((edge, index) => edgeFields(edge, index, problems, focus))}
      <button name="act" value="add_edge">Add an edge</button>
      <datalist id="node-ids">
        ${draft.nodes.map((node) => html`<option value="${node.id}"></option>`)}
      </datalist>
      <p class="do">
        <button class="main" name="act" value="check">Check and show the file</button>
      </p>
    </form>`;
}

function edgeFields(
  edge: EdgeDraft,
  index: number,
  problems: PlacedProblems,
  focus: string | undefined,
): SafeHtml {
  const place = `edges.${index}`;
  return html`<fieldset class="edge" id="${idOf(place)}">
    <legend>Edge ${index + 1}</legend>
    ${problemsAt(problems, place)}
    <div class="row">
      ${textField({ problems, name: `${place}.from`, label: 'From', value: edge.from, list: 'node-ids', maxLength: 40 })}
      ${textField({ problems, name: `${place}.to`, label: 'To', value: edge.to, list: 'node-ids', maxLength: 40, focus: focus === place })}
      ${selectField({
        problems,
        name: `${place}.on`,
        label: 'On outcome',
        value: edge.on,
        options: [['', 'any'], ...OUTCOMES.map((word) => [word, word] as const)],
      })}
      <button name="act" value="remove_edge.${index}" formaction="/teams/check#edges">
        Remove edge ${index + 1}
      </button>
    </div>
  </fieldset>`;
}

function intro(templates: readonly string[]): SafeHtml {
  return html`<p>
    Write a team and get its file. Nothing here takes effect: put the file where the operator keeps
    his teams, or into the repository.
    ${
      templates.length > 0 &&
      html`Begin with a team that ships:
      ${templates.map((name) => html`<a href="/teams/new?from=${name}">${name}</a> `)}`
    }
  </p>`;
}

/** What the check said, before the form: its file, or where to look. */
function outcome({ problems, result }: CheckedDraft, places: ReadonlySet<string>): SafeHtml {
  const warnings = result !== undefined && problems.length > 0;
  if (result === undefined) {
    return html`<div class="outcome bad" role="alert" id="outcome">
      <p class="problem">This is not a team yet. Each problem is also said beside its field:</p>
      ${problemList(problems, places)}
    </div>`;
  }
  const rows = Math.min(28, result.text.split('\n').length + 1);
  return html`<div class="outcome good" role="status" id="outcome">
    <p>
      <strong>The team ${result.team.name} is valid.</strong> This is its file; nothing has been
      saved. In the operator's file of teams it stands as JSON, in the list <code>teams</code>.
    </p>
    ${
      warnings &&
      html`<p class="warning">Warnings:</p>
        ${problemList(problems, places)}`
    }
    <label for="file">${result.team.name}.yaml</label>
    <textarea id="file" class="file" rows="${rows}" readonly>${`\n${result.text}`}</textarea>
    <p>
      <button form="team" name="act" value="download_yaml">
        Download ${result.team.name}.yaml
      </button>
      <button form="team" name="act" value="download_json">
        Download ${result.team.name}.json
      </button>
      <button type="button" id="copy" hidden>Copy</button> <span id="copied" role="status"></span>
    </p>
  </div>`;
}

function problemList(problems: readonly TeamProblem[], places: ReadonlySet<string>): SafeHtml {
  return html`<ul>
    ${[...placeProblems(problems, places)].flatMap(([place, here]) =>
      here.map(
        (problem) =>
          html`<li>
            <a href="#${place === '' ? 'team' : idOf(place)}">${placeInWords(problem.path)}</a>:
            ${sentenceOf(problem)}
          </li>`,
      ),
    )}
  </ul>`;
}

/** Every place at which this form can say a problem. */
function placesOf(draft: TeamDraft): Set<string> {
  const node = [
    'id',
    'agent.cli',
    'agent.model',
    'agent.autonomous',
    'agent.command',
    'agent.args',
    'prompt',
    'readOnlyLevel',
    'onWriteAttempt',
    'join',
    'maxVisits',
    'timeoutMinutes',
    'attempts',
  ];
  return new Set([
    ...['name', 'description', 'readOnlyLevel', 'entry', 'nodes', 'edges'],
    ...draft.nodes.flatMap((_, i) => [`nodes.${i}`, ...node.map((name) => `nodes.${i}.${name}`)]),
    ...draft.edges.flatMap((_, i) => [
      `edges.${i}`,
      ...['from', 'to', 'on'].map((name) => `edges.${i}.${name}`),
    ]),
  ]);
}
