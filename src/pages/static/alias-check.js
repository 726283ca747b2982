// Shows whether an alias is available while the user types it.
const PAUSE_MS = 400;
const MAX_LENGTH = 16;
const REASONS = {
  length: 'Too short: use at least 3 characters',
  format: 'Use only letters, digits, hyphens and underscores',
  reserved: 'Reserved: choose another alias',
  taken: 'Taken: choose another alias',
};
const field = document.getElementById('alias');
const said = document.getElementById('alias-check');
let timer;
let asked = null;
/** No request before this time, because the rate limit is exceeded. */
let quietUntil = 0;

function say(text, isFree) {
  said.textContent = text;
  said.classList.toggle('refused', !isFree);
  said.hidden = false;
}

async function check() {
  const alias = field.value;
  if (alias.length > MAX_LENGTH) {
    return say(`Too long: ${alias.length} characters, use at most ${MAX_LENGTH}`, false);
  }
  if (alias === '' || Date.now() < quietUntil) return;
  asked = new AbortController();
  const { signal } = asked;
  const answer = await fetch(`/api/v1/shorten/check-alias?alias=${encodeURIComponent(alias)}`, {
    headers: { Accept: 'application/json' },
    signal,
  });
  if (answer.status === 429) {
    quietUntil = Date.now() + Number(answer.headers.get('Retry-After') ?? 60) * 1000;
  }
  if (!answer.ok) return;
  const { available, reason } = await answer.json();
  if (signal.aborted) return;
  say(available ? 'Available' : (REASONS[reason] ?? ''), available);
}

field?.addEventListener('input', () => {
  clearTimeout(timer);
  asked?.abort();
  said.hidden = true;
  // Ignores failures, because the service validates the form when it is sent.
  timer = setTimeout(() => void check().catch(() => undefined), PAUSE_MS);
});
