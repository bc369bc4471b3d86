/** One labelled field of a form, with what is wrong with it said beside it and tied to it for whoever cannot see it. */
import type { TeamProblem } from '@sallyport/teams/team-problem';
import { html, type HtmlValue, type SafeHtml } from '../../html.ts';

/** Problems by the place where they are shown: the name of a field, of a group of fields, or '' for the whole. */
export type PlacedProblems = ReadonlyMap<string, readonly TeamProblem[]>;

/** Puts each problem at the nearest place that the form has, going outwards from where it is. */
export function placeProblems(
  problems: readonly TeamProblem[],
  places: ReadonlySet<string>,
): PlacedProblems {
  const placed = new Map<string, TeamProblem[]>();
  for (const problem of problems) {
    const path = problem.path.map(String);
    while (path.length > 0 && !places.has(path.join('.'))) path.pop();
    const place = path.join('.');
    placed.set(place, [...(placed.get(place) ?? []), problem]);
  }
  return placed;
}

/** The id of the element at a place. */
export function idOf(place: string): string {
  return `at-${place}`;
}

/** The problems of one place. */
export function problemsAt(problems: PlacedProblems, place: string): SafeHtml {
  const here = problems.get(place) ?? [];
  if (here.length === 0) return html``;
  return html`<span class="problems" id="${idOf(place)}-problem"
    >${here.map(
      (problem) =>
        html`<span class="${problem.severity === 'error' ? 'problem' : 'warning'}"
          >${problem.severity === 'error' ? '' : 'Warning: '}${sentenceOf(problem)}</span
        >`,
    )}</span
  >`;
}

/** A problem in words: what, and what to do about it. The field that it stands at says which it is. */
export function sentenceOf({ message, hint, path }: TeamProblem): string {
  const prefix = `${path.at(-1) ?? ''}: `;
  const what = message.startsWith(prefix) ? message.slice(prefix.length) : message;
  return hint === undefined ? what : `${what}; ${hint}`;
}

/** A place in the team as somebody who sees the form would name it: `Node 2: agent.cli`. */
export function placeInWords([first, index, ...rest]: TeamProblem['path']): string {
  if (typeof index !== 'number') return first === undefined ? 'The team' : String(first);
  const row = first === 'nodes' ? 'Node' : first === 'edges' ? 'Edge' : String(first);
  return [`${row} ${index + 1}`, ...(rest.length > 0 ? [rest.join('.')] : [])].join(': ');
}

interface Field {
  problems: PlacedProblems;
  /** The name of the field, which is its place. */
  name: string;
  label: HtmlValue;
  value: string;
  /** What is so when it is left empty. */
  placeholder?: string;
}

export function textField(
  field: Field & { maxLength?: number; list?: string; focus?: boolean; className?: string },
): SafeHtml {
  const { problems, name, value, placeholder, maxLength = 200, list, focus } = field;
  return labelled(
    field,
    html`<input
      id="${idOf(name)}"
      name="${name}"
      value="${value}"
      maxlength="${maxLength}"
      autocomplete="off"
      spellcheck="false"
      ${placeholder !== undefined && html` placeholder="${placeholder}"`}
      ${list !== undefined && html` list="${list}"`}
      ${focus === true && html` autofocus`}
      ${described(problems, name)}
    />`,
  );
}

export function textArea(field: Field & { rows: number; maxLength: number }): SafeHtml {
  const { problems, name, value, rows, maxLength } = field;
  const attributes = html`id="${idOf(name)}" name="${name}" rows="${rows}"
  maxlength="${maxLength}"${described(problems, name)}`;
  // A parser drops the first newline of the text, which must not be one of the value's own.
  const text = `\n${value}`;
  return labelled(field, html`<textarea ${attributes}>${text}</textarea>`);
}

/** A choice; the options are pairs of value and words, or groups of such. */
export function selectField(
  field: Field & { options: readonly Option[]; groups?: readonly OptionGroup[] },
): SafeHtml {
  const { problems, name, value, options, groups = [] } = field;
  return labelled(
    field,
    html`<select id="${idOf(name)}" name="${name}" ${described(problems, name)}>
      ${options.map((option) => optionOf(option, value))}
      ${groups.map(
        (group) =>
          html`<optgroup label="${group.label}" data-for="${group.for}">
            ${group.options.map((option) => optionOf(option, value))}
          </optgroup>`,
      )}
    </select>`,
  );
}

// The label names the field and nothing else: what is wrong is said beside it, not in its name.
function labelled(field: Field & { className?: string }, control: SafeHtml): SafeHtml {
  return html`<div class="field ${field.className ?? ''}">
    <label for="${idOf(field.name)}">${field.label}</label>
    ${control} ${problemsAt(field.problems, field.name)}
  </div>`;
}

export type Option = readonly [value: string, words: string];
export interface OptionGroup {
  label: string;
  /** The CLI for which the group is meant. */
  for: string;
  options: readonly Option[];
}

export function checkBox(field: {
  name: string;
  label: HtmlValue;
  checked: boolean;
  describedBy?: string;
}): SafeHtml {
  return html`<label class="check"
    ><input
      type="checkbox"
      id="${idOf(field.name)}"
      name="${field.name}"
      value="1"
      ${field.checked && html` checked`}
      ${field.describedBy !== undefined && html` aria-describedby="${field.describedBy}"`}
    />
    ${field.label}</label
  >`;
}

function optionOf([value, words]: Option, chosen: string): SafeHtml {
  return html`<option value="${value}" ${value === chosen && html` selected`}>${words}</option>`;
}

function described(problems: PlacedProblems, name: string): SafeHtml {
  const here = problems.get(name) ?? [];
  if (here.length === 0) return html``;
  const invalid = here.some((problem) => problem.severity === 'error');
  return html` aria-describedby="${idOf(name)}-problem" ${invalid && html` aria-invalid="true"`}`;
}
