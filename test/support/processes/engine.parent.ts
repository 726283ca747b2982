import { EmbeddedEngine } from '../../../src/infrastructure/mongo/embedded-engine';
import { RecordingLogger } from '../shared/recording-logger';

/** Test primary: starts an engine on its argument, prints its pid and waits to be killed. */
const [, , dataDir = ''] = process.argv;
const engine = new EmbeddedEngine({ dataDir, logger: new RecordingLogger() });

void engine.start().then(() => console.log(String(engine.pid)));
