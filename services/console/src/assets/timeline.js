// Adds events to a task's timeline as they happen. The page is whole without it. Everything is set as text, never as markup.
const table = document.getElementById('timeline');
const live = document.getElementById('live');

function cell(row, text, className) {
  const td = row.insertCell();
  td.textContent = text;
  if (className !== undefined) td.className = className;
}

function addEvent({ seq, at, process, kind, text }) {
  if (seq <= Number(table.dataset.after)) return;
  table.dataset.after = String(seq);
  const row = table.tBodies[0].insertRow();
  row.className = 'new';
  cell(row, String(seq));
  cell(row, at.slice(0, 19).replace('T', ' '));
  cell(row, process);
  cell(row, kind);
  cell(row, text, 'data');
}

function showState({ state, reason }) {
  const shown = document.getElementById('state');
  if (shown.textContent !== state)
    live.textContent = 'The task has moved; load the page again for all of it.';
  shown.textContent = state;
  shown.className = `state ${state}`;
  document.getElementById('reason').textContent = reason ?? '';
}

if (table !== null) {
  const source = new EventSource(`${table.dataset.events}?after=${table.dataset.after}`);
  source.addEventListener('timeline', (message) => addEvent(JSON.parse(message.data)));
  source.addEventListener('state', (message) => showState(JSON.parse(message.data)));
}
