// Puts the short link into the clipboard. The button is hidden until this runs, because the field
// beside it can be copied by hand.
const field = document.getElementById('copy-field');
const button = document.getElementById('copy');
const said = document.getElementById('copied');

async function copy() {
  // Over plain http, as in a private network, browsers have no navigator.clipboard.
  if (navigator.clipboard) return navigator.clipboard.writeText(field.value);
  field.select();
  if (!document.execCommand('copy')) throw new Error('The browser refuses');
}

button.addEventListener('click', () => {
  copy().then(
    () => {
      said.textContent = 'Copied';
      button.textContent = 'Copied';
    },
    () => {
      field.focus();
      field.select();
      said.textContent = 'The link is selected: copy it with Ctrl+C';
    },
  );
});
button.hidden = false;
