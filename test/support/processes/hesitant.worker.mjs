// Test web worker: the first processes behave as their environment specifies; others become
// ready and end on request.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const { HESITANT_FILE: file = '', HESITANT_TIMES: times = '0', HESITANT_MODE: mode } = process.env;
const before = existsSync(file) ? readFileSync(file, 'utf8').length : 0;
appendFileSync(file, '.');
if (before < Number(times)) {
  if (mode === 'exits') process.exit(7);
  if (mode === 'is killed') process.kill(process.pid, 'SIGKILL');
  setInterval(() => undefined, 1000);
} else {
  process.on('message', (message) => {
    if (message.curtail === 'stop') process.exit(0);
  });
  process.send({ curtail: 'ready', payload: {} });
}
