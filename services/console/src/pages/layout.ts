/** The frame of every page: where one is, who one is, and a halt that nobody can overlook. */
import type { HaltRow } from '@sallyport/shared/db/halt';
import type { Operator } from '../auth/authenticate.ts';
import { html, type SafeHtml } from '../html.ts';

export interface Frame {
  title: string;
  operator: Operator;
  deployment: string;
  halts: readonly HaltRow[];
  body: SafeHtml;
  /** Scripts of ours that the page loads. */
  script?: string;
}

const PAGES = [
  ['/', 'Tasks'],
  ['/?waiting=1', 'Waiting'],
  ['/teams', 'Teams'],
  ['/halt', 'Halt'],
  ['/processes', 'Processes'],
  ['/queues/', 'Queues'],
] as const;

export function framed(frame: Frame): SafeHtml {
  return document(
    frame.title,
    html`<header>
        <a class="brand" href="/">Sallyport</a>
        <nav aria-label="Pages">
          ${PAGES.map(([path, name]) => html`<a href="${path}">${name}</a>`)}
        </nav>
        <span class="who">${frame.deployment}</span>
        ${leave(frame.operator)}
      </header>
      ${frame.halts.length > 0 && banner(frame.halts)}
      <main>
        <h1>${frame.title}</h1>
        ${frame.body}
      </main>`,
    frame.script,
  );
}

/** A whole document around a body. */
export function document(title: string, body: SafeHtml, script?: string): SafeHtml {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Sallyport</title>
        <link rel="stylesheet" href="/style.css" />
        ${script !== undefined && html`<script src="${script}" defer></script>`}
      </head>
      <body>
        ${body}
      </body>
    </html> `;
}

/** The hidden field by which a form shows that it is from this very login; nothing where a script asks. */
export function csrfField(operator: Operator): SafeHtml {
  return operator.kind === 'session'
    ? html`<input type="hidden" name="csrf" value="${operator.session.csrf}" />`
    : html``;
}

/** A moment, to the second for people and exactly for machines. */
export function moment(at: Date | null): SafeHtml {
  if (at === null) return html`–`;
  const exact = at.toISOString();
  return html`<time datetime="${exact}">${exact.slice(0, 19).replace('T', ' ')}</time>`;
}

function leave(operator: Operator): SafeHtml {
  if (operator.kind === 'token') return html``;
  return html`<form method="post" action="/logout">
    ${csrfField(operator)}<button class="plain">Log out ${operator.session.name}</button>
  </form>`;
}

function banner(halts: readonly HaltRow[]): SafeHtml {
  return html`<p class="banner" role="alert">
    <strong>Halted.</strong> ${halts.map(
      (halt) =>
        html`${halt.scope === 'all' ? 'Everything' : halt.scope} (${halt.level}): ${halt.reason}. `,
    )}<a href="/halt">Look</a>
  </p>`;
}
