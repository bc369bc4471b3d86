// Keeps the sentence under each read-only checkbox true while the form is filled in. The words come from the server, as
// text; while they are on their way there are none, so that nothing is claimed that does not hold.
const form = document.getElementById('team');

function field(name) {
  return form.elements.namedItem(name);
}

function ask(place) {
  const readOnly = ['readOnly', `${place}.readOnly`, `${place}.agent.readOnly`];
  if (!readOnly.some((name) => field(name).checked)) return null;
  const levels = [field('readOnlyLevel').value, field(`${place}.readOnlyLevel`).value];
  const cli = field(`${place}.agent.cli`).value || field(`${place}.agent.cli.other`).value.trim();
  return new URLSearchParams({
    cli,
    level: levels.includes('noShell') ? 'noShell' : 'reflex',
    version: field(`${place}.version`).value,
  });
}

function show(place, sentence, leavesOpen) {
  document.getElementById(`at-${place}-says`).textContent = sentence;
  const left = document.getElementById(`at-${place}`).querySelector('.left');
  left.hidden = leavesOpen.length === 0;
  left.querySelector('ul').replaceChildren(
    ...leavesOpen.map((text) => {
      const item = document.createElement('li');
      item.textContent = text;
      return item;
    }),
  );
}

async function answer(query) {
  const response = await fetch(`/api/teams/enforcement?${query}`);
  const body = await response.json();
  return response.ok ? body : { sentence: body.error.message, leavesOpen: [] };
}

async function tell(place) {
  const query = ask(place);
  const key = String(query);
  const says = document.getElementById(`at-${place}-says`);
  if (says.dataset.asked === key) return;
  says.dataset.asked = key;
  if (query === null) return show(place, form.dataset.writes, []);
  if (query.get('cli') === '') return show(place, form.dataset.unnamed, []);
  show(place, '…', []);
  const failed = {
    sentence: 'The console did not answer; send the form to read it.',
    leavesOpen: [],
  };
  const { sentence, leavesOpen } = await answer(query).catch(() => failed);
  if (says.dataset.asked === key) show(place, sentence, leavesOpen);
}

function nodes() {
  return [...form.querySelectorAll('[data-node]')].map((node) => node.dataset.node);
}

function tellAll() {
  for (const place of nodes()) void tell(place);
}

// Modes of other CLIs cannot be chosen; the one that was chosen stays in sight.
function offerModes() {
  for (const place of nodes()) {
    const cli = field(`${place}.agent.cli`).value;
    const modes = field(`${place}.agent.autonomous`);
    for (const group of modes.querySelectorAll('optgroup')) {
      const isChosen = group.contains(modes.selectedOptions[0] ?? null);
      group.hidden = group.dataset.for !== cli && !isChosen;
    }
  }
}

function listIds() {
  const options = nodes().map((place) => {
    const option = document.createElement('option');
    option.value = field(`${place}.id`).value;
    return option;
  });
  document.getElementById('node-ids').replaceChildren(...options);
}

let waiting;
form.addEventListener('input', () => {
  offerModes();
  listIds();
  clearTimeout(waiting);
  waiting = setTimeout(tellAll, 100);
});
// A page that a browser brings back keeps what was typed, and not what was said of it.
addEventListener('pageshow', () => {
  offerModes();
  listIds();
  tellAll();
});

const file = document.getElementById('file');

async function copyFile() {
  file.select();
  const done = await navigator.clipboard?.writeText(file.value).then(
    () => true,
    () => false,
  );
  document.getElementById('copied').textContent = done
    ? 'Copied.'
    : 'Selected: copy it with Ctrl-C.';
}

if (file !== null) {
  const copy = document.getElementById('copy');
  copy.hidden = false;
  copy.addEventListener('click', () => void copyFile());
}
