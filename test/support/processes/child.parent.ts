import { spawning } from '../../../src/processes/child-process/child-run';
import { SupervisedChild } from '../../../src/processes/child-process/supervised-child';
import { RecordingLogger } from '../shared/recording-logger';
import { tsProcess } from '../ts-process';

/** Test primary: starts the child, prints its pid and waits to be killed. */
const [, , file = ''] = process.argv;

void new SupervisedChild({
  name: 'test',
  prepare: () =>
    spawning({ command: process.execPath, args: tsProcess('obedient.child', 'plain', file) }),
  logger: new RecordingLogger(),
})
  .start()
  .then(({ pid }) => console.log(String(pid)));
