/** The fields of one node, with the read-only checkbox and, under it, what it does for this very CLI and level. */
import { ADAPTERS } from '@sallyport/teams/readonly/adapters';
import { READ_ONLY_LEVELS, WRITE_ATTEMPT_ACTIONS } from '@sallyport/teams/restriction-words';
import { html, type SafeHtml } from '../../html.ts';
import { enforcementOf } from '../../teams/draft-enforcement.ts';
import { OTHER_CLI, OTHER_CLI_FIELD } from '../../teams/read-team-form.ts';
import { EMPTY_NODE, type NodeDraft, type TeamDraft } from '../../teams/team-draft.ts';
import { leftOpen } from './enforcement.ts';
import {
  checkBox,
  idOf,
  problemsAt,
  selectField,
  textArea,
  textField,
  type Option,
  type OptionGroup,
  type PlacedProblems,
} from './field.ts';

/** Words for the levels, said once for team and node. */
export const LEVEL_OPTIONS: readonly Option[] = READ_ONLY_LEVELS.map((level) => [
  level,
  level === 'reflex' ? 'reflex: the shell stays, for tests' : 'noShell: no shell either',
]);

const AUTONOMY_OPTIONS: readonly Option[] = [
  ['', 'as its arguments say'],
  ['true', 'yes, without asking'],
  ['false', 'no'],
];
const AUTONOMY_GROUPS: readonly OptionGroup[] = ADAPTERS.map((adapter) => ({
  label: `a mode of ${adapter.title}`,
  for: adapter.cli,
  options: Object.keys(adapter.autonomy.modes).map((mode) => [mode, mode] as const),
}));
const ATTEMPT_WORDS = {
  note: 'note it',
  rerun: 'run the step again',
  fail: 'fail the step',
} as const;
/** Fields behind "More": the name of each in the team, and in the draft. */
const MORE = ['onWriteAttempt', 'join', 'maxVisits', 'timeoutMinutes', 'attempts'] as const;

export interface NodeFields {
  team: TeamDraft;
  node: NodeDraft;
  index: number;
  ownClis: readonly string[];
  problems: PlacedProblems;
  /** Whether the reader was led here: the node has just been added. */
  focus: boolean;
}

export function nodeFields(fields: NodeFields): SafeHtml {
  const { node, index, problems, focus } = fields;
  const place = `nodes.${index}`;
  return html`<fieldset class="node" id="${idOf(place)}" data-node="${place}">
    <legend>Node ${index + 1}${node.id !== '' && `: ${node.id}`}</legend>
    ${problemsAt(problems, place)}
    <div class="row">
      ${textField({ problems, name: `${place}.id`, label: 'Id', value: node.id, maxLength: 40, focus, placeholder: 'a-z, 0-9 and -' })}
      ${cliFields(fields, place)}
      ${textField({ problems, name: `${place}.agent.model`, label: 'Model', value: node.model, placeholder: "the operator's" })}
      ${selectField({ problems, name: `${place}.agent.autonomous`, label: 'Autonomous', value: node.autonomous, options: autonomyOptions(node), groups: AUTONOMY_GROUPS })}
    </div>
    ${textArea({ problems, name: `${place}.prompt`, label: 'Prompt: what this node is told to be; the task is added', value: node.prompt, rows: 4, maxLength: 64_000 })}
    ${readOnlyFields(fields, place)} ${moreFields(fields, place)}
    <button name="act" value="remove_node.${index}" formaction="/teams/check#nodes">
      Remove node ${index + 1}
    </button>
  </fieldset>`;
}

function cliFields({ node, ownClis, problems }: NodeFields, place: string): SafeHtml {
  const options: readonly Option[] = [
    ...ADAPTERS.map(({ cli, title }) => [cli, `${title} (${cli})`] as const),
    ...ownClis.map((cli) => [cli, `${cli} (no adapter)`] as const),
    [OTHER_CLI, 'another:'],
  ];
  const isListed = options.some(([cli]) => cli === node.cli);
  return html`<div class="cli">
    ${selectField({ problems, name: `${place}.agent.cli`, label: 'CLI', value: isListed ? node.cli : OTHER_CLI, options })}
    ${textField({ problems: new Map(), name: `${place}.${OTHER_CLI_FIELD}`, label: 'Its name', value: isListed ? '' : node.cli, maxLength: 40, className: 'other' })}
  </div>`;
}

/** A mode that no adapter has is still shown, or it would be lost without a word. */
function autonomyOptions({ autonomous }: NodeDraft): readonly Option[] {
  const known = [...AUTONOMY_OPTIONS, ...AUTONOMY_GROUPS.flatMap((group) => group.options)];
  return known.some(([value]) => value === autonomous)
    ? AUTONOMY_OPTIONS
    : [...AUTONOMY_OPTIONS, [autonomous, autonomous]];
}

function readOnlyFields(fields: NodeFields, place: string): SafeHtml {
  const { team, node, problems } = fields;
  const { asked, sentence, leavesOpen } = enforcementOf(team, node);
  const says = `${idOf(place)}-says`;
  return html`<div class="rule">
    ${checkBox({ name: `${place}.readOnly`, label: html`<strong>Read-only</strong>: this node judges and must not write`, checked: node.readOnly, describedBy: says })}
    <output class="says" id="${says}" data-asked="${asked}" aria-live="polite">${sentence}</output>
    <div class="left" ${leavesOpen.length === 0 && html` hidden`}>
      Left to the mount: ${leftOpen(leavesOpen)}
    </div>
    <div class="row">
      ${selectField({ problems, name: `${place}.readOnlyLevel`, label: 'Level', value: node.readOnlyLevel, options: LEVEL_OPTIONS })}
      ${textField({ problems, name: `${place}.version`, label: 'Your version of the CLI (for this sentence; not in the file)', value: node.version, placeholder: 'the newest that was tried', maxLength: 60 })}
    </div>
  </div>`;
}

function moreFields({ node, problems }: NodeFields, place: string): SafeHtml {
  const number = (name: (typeof MORE)[number], label: string, placeholder: string): SafeHtml =>
    textField({
      problems,
      name: `${place}.${name}`,
      label,
      value: node[name],
      placeholder,
      maxLength: 9,
    });
  return html`<details ${isOpen(node, problems, place) && html` open`}>
    <summary>More: arguments, joins, limits</summary>
    ${selectField({
      problems,
      name: `${place}.onWriteAttempt`,
      label: 'When it is read-only and tried to change tracked files',
      value: node.onWriteAttempt,
      options: WRITE_ATTEMPT_ACTIONS.map((action) => [action, ATTEMPT_WORDS[action]] as const),
    })}
    <div class="row">
      ${selectField({
        problems,
        name: `${place}.join`,
        label: 'Where branches meet',
        value: node.join,
        options: [
          ['', 'wait for all (default)'],
          ['all', 'wait for all'],
          ['any', 'one visit per branch'],
        ],
      })}
      ${number('maxVisits', 'Visits at most', '3')}
      ${number('timeoutMinutes', 'Minutes per step', '30')} ${number('attempts', 'Attempts', '1')}
    </div>
    ${textField({ problems, name: `${place}.agent.command`, label: 'Another program than the operator’s', value: node.command, maxLength: 1000 })}
    ${textArea({ problems, name: `${place}.agent.args`, label: 'Arguments, one a line', value: node.args, rows: 2, maxLength: 100_000 })}
    ${checkBox({ name: `${place}.agent.readOnly`, label: 'This agent is read-only wherever it is used', checked: node.agentReadOnly })}
  </details>`;
}

/** What is not as it would be by default, or wrong, may not hide. */
function isOpen(node: NodeDraft, problems: PlacedProblems, place: string): boolean {
  const usual: Record<string, string> = { maxVisits: '3', timeoutMinutes: '30', attempts: '1' };
  const names = [...MORE, 'agent.command', 'agent.args'];
  return (
    node.agentReadOnly ||
    node.command !== '' ||
    node.args !== '' ||
    MORE.some((name) => ![EMPTY_NODE[name], usual[name]].includes(node[name])) ||
    names.some((name) => problems.has(`${place}.${name}`))
  );
}
