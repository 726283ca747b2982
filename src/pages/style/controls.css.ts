/** Forms, buttons and what is said about them. */
export const CONTROLS = `
label { display: block; margin: 0 0 0.3rem; font-weight: 600; }
input:not([type="checkbox"]) {
  display: block;
  width: 100%;
  margin: 0 0 1rem;
  padding: 0.6rem 0.7rem;
  min-height: 2.75rem;
  font: inherit;
  color: inherit;
  background: var(--surface);
  border: 1px solid var(--field);
  border-radius: 0.5rem;
}
input::placeholder { color: var(--muted); opacity: 1; }
input[readonly] { background: var(--ground); user-select: all; -webkit-user-select: all; }
input[aria-invalid="true"] { border-color: var(--problem); border-width: 2px; }
input[aria-invalid="true"], input:has(+ .hint) { margin-bottom: 0.4rem; }
.check { display: flex; align-items: center; gap: 0.6rem; margin: 0; }
.check label { margin: 0; font-weight: 400; }
.check input { width: 1.2rem; height: 1.2rem; margin: 0; accent-color: var(--accent); flex: none; }
details { margin: 0 0 1.1rem; }
summary { cursor: pointer; padding: 0.35rem 0; color: var(--accent); font-weight: 600; }
details[open] > summary { margin-bottom: 0.7rem; }
button, .button {
  display: inline-block;
  padding: 0.6rem 1.2rem;
  min-height: 2.75rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  color: var(--on-accent);
  background: var(--accent);
  border: 1px solid var(--accent);
  border-radius: 0.5rem;
  cursor: pointer;
}
button:hover, .button:hover { filter: brightness(1.08); }
.quiet { color: var(--accent); background: transparent; border-color: var(--field); }
.actions { display: flex; flex-wrap: wrap; gap: 0.6rem; }
.problem {
  padding: 0.55rem 0.75rem;
  color: var(--problem);
  background: var(--problem-ground);
  border-radius: 0.5rem;
  font-weight: 600;
}
@media (max-width: 30rem) {
  form > button, .actions button, .actions .button { flex: 1 0 40%; }
  form > button { width: 100%; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .button { transition: filter 0.12s; }
}
@media (forced-colors: active) {
  button, .button { border-color: ButtonText; }
}
`;
