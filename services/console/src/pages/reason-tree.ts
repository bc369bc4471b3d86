/**
 * A tree of reasons as nested lists. The trees are stored JSON whose shape may be older or newer than this code: what is
 * known of a node is shown, what is not is left out, and neither depth nor size can hurt.
 */
import { html, type SafeHtml } from '../html.ts';

const MAX_DEPTH = 12;
const MAX_NODES = 1000;

/** The reasons below a decision; each with its rule, its result, a sentence, and the finding it rests on. */
export function reasonTree(reasons: unknown): SafeHtml {
  const budget = { nodes: MAX_NODES };
  const tree = list(reasons, 0, budget);
  return budget.nodes < 0
    ? html`${tree}
        <p class="empty">More reasons are not shown.</p>`
    : tree;
}

function list(value: unknown, depth: number, budget: { nodes: number }): SafeHtml {
  const nodes = (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isNode);
  if (nodes.length === 0 || depth > MAX_DEPTH) return html``;
  return html`<ul class="reasons">
    ${nodes.map((node) => item(node, depth, budget))}
  </ul>`;
}

function item(node: Record<string, unknown>, depth: number, budget: { nodes: number }): SafeHtml {
  budget.nodes -= 1;
  if (budget.nodes < 0) return html``;
  const result = textOf(node['result']) ?? textOf(node['severity']);
  const sentence = textOf(node['message']) ?? textOf(node['reason']);
  return html`<li>
    ${result !== undefined && html`<span class="result ${result}">${result}</span> `}<code
      >${textOf(node['rule'])}</code
    >
    ${sentence}${findingOf(node['finding'])}${list(node['children'] ?? [], depth + 1, budget)}
  </li>`;
}

function findingOf(value: unknown): SafeHtml {
  if (!isNode(value)) return html``;
  const path = textOf(value['path']);
  const line = typeof value['line'] === 'number' ? `:${value['line']}` : '';
  const mend = textOf(value['satisfiedBy']);
  return html`<span class="finding">
    <code>${textOf(value['code'])}</code
    >${path !== undefined && html` at <code>${path}${line}</code>`}${
      mend !== undefined && html`. ${mend}`
    }</span
  >`;
}

function isNode(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
