import { writeSync } from 'node:fs';
import { QuietLogger } from '../shared/quiet-logger';
import { aClickEvent } from '../shared/click-event';
import { JournalWriter } from '../../../src/clicks/journal/journal.writer';

const [, , directory = '', linkId = ''] = process.argv;
const writer = new JournalWriter({ directory, logger: new QuietLogger(), sealAfterMs: 50 });
let at = 0;

function burst(): void {
  for (let i = 0; i < 20; i++) {
    const number = ++at;
    writer.append(aClickEvent({ at: number, linkId }), () => writeSync(1, `${number}\n`));
  }
  setImmediate(burst);
}

burst();
