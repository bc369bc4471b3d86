/** The one page that strangers see. */
import { html, type SafeHtml } from '../html.ts';
import { document } from './layout.ts';

export function loginPage(state: { next: string; problem: string | null }): SafeHtml {
  return document(
    'Log in',
    html`<main class="narrow">
      <h1>Sallyport</h1>
      ${state.problem !== null && html`<p class="problem" role="alert">${state.problem}</p>`}
      <form method="post" action="/login" class="fields">
        <input type="hidden" name="next" value="${state.next}" />
        <label
          >Your name, for the record <input name="name" maxlength="64" autocomplete="username"
        /></label>
        <label
          >Operator token
          <input type="password" name="token" autocomplete="current-password" required autofocus
        /></label>
        <button>Log in</button>
      </form>
    </main>`,
  );
}
