// Copies the short link to the clipboard, or opens the system's share sheet. The buttons replace
// the field for copying by hand.
const field = document.getElementById('copy-field');
const button = document.getElementById('copy');
const byHand = document.getElementById('by-hand');
const share = document.getElementById('share');
const said = document.getElementById('copied');

async function copy() {
  // Over plain http, as in a private network, browsers have no navigator.clipboard.
  if (navigator.clipboard) return navigator.clipboard.writeText(field.value);
  byHand.hidden = false;
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
      byHand.hidden = false;
      field.focus();
      field.select();
      said.textContent = 'The link is selected: copy it with Ctrl+C';
    },
  );
});
share.addEventListener('click', () => {
  // Closing the share sheet is not a failure.
  navigator.share({ url: field.value }).catch(() => undefined);
});
share.hidden = navigator.share === undefined;
byHand.hidden = true;
document.getElementById('handy').hidden = false;
