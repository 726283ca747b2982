/** Colours (light and dark), type and the frame around every page. */
export const GROUND = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f9;
  --surface: #ffffff;
  --text: #17202c;
  --muted: #55606f;
  --line: #d4dae2;
  --field: #8390a2;
  --accent: #1d4ed8;
  --on-accent: #ffffff;
  --bar: #3b6ee8;
  --bar-ground: #e6ebf3;
  --problem: #b42318;
  --problem-ground: #fdf0ee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10151c;
    --surface: #19212b;
    --text: #e8edf4;
    --muted: #a5b1c1;
    --line: #303c4b;
    --field: #74839a;
    --accent: #8ab0ff;
    --on-accent: #0d1626;
    --bar: #6f9bfa;
    --bar-ground: #2a3543;
    --problem: #ff9e92;
    --problem-ground: #3a2023;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  display: flex;
  flex-direction: column;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
header.site, footer.site, main { width: 100%; max-width: 64rem; margin: 0 auto; padding: 0 1rem; }
header.site { padding-top: 1.1rem; padding-bottom: 1.1rem; }
header.site a { font-size: 1.2rem; font-weight: 700; color: var(--text); text-decoration: none; }
header.site a::before {
  content: "";
  display: inline-block;
  width: 1.1rem;
  height: 0.34rem;
  margin-right: 0.55rem;
  border-radius: 0.2rem;
  background: var(--accent);
  vertical-align: middle;
}
main { flex: 1; padding-bottom: 2.5rem; }
footer.site {
  display: flex;
  flex-wrap: wrap;
  gap: 0.4rem 1.4rem;
  padding-top: 1rem;
  padding-bottom: 1.5rem;
  border-top: 1px solid var(--line);
  font-size: 0.9rem;
}
footer.site a { color: var(--muted); padding: 0.25rem 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h1 { margin: 0 0 0.6rem; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 0 0 0.7rem; font-size: 1.1rem; line-height: 1.3; }
p { margin: 0 0 1rem; }
.lead, .hint { color: var(--muted); }
.hint { font-size: 0.9rem; font-weight: 400; }
.card {
  margin: 0 auto 1.25rem;
  padding: 1.5rem;
  max-width: 34rem;
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: 0.8rem;
}
.card > :last-child { margin-bottom: 0; }
.card.wide { max-width: none; }
.error { text-align: center; }
.status { margin: 0; font-size: 2.6rem; font-weight: 700; line-height: 1.2; color: var(--muted); }
.address { font-size: 1.25rem; font-weight: 600; }
.address, .destination, .host { overflow-wrap: anywhere; }
dl { margin: 0 0 1rem; }
dt { font-size: 0.9rem; color: var(--muted); }
dd { margin: 0 0 0.7rem; }
.host { font-size: 1.15rem; font-weight: 600; }
@media (max-width: 30rem) {
  .card { padding: 1.1rem; }
  h1 { font-size: 1.4rem; }
  .address { font-size: 1.1rem; }
}
`;
