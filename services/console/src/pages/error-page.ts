/** A page that says what went wrong, and needs nothing that could be what went wrong. */
import { html, type SafeHtml } from '../html.ts';
import { document } from './layout.ts';

export function errorPage(error: { status: number; message: string }): SafeHtml {
  return document(
    String(error.status),
    html`<main class="narrow">
      <h1>${error.status}</h1>
      <p>${error.message}</p>
      <p><a href="/">To the tasks</a></p>
    </main>`,
  );
}
