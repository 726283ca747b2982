import { parentPort, workerData } from 'node:worker_threads';
import { DestinationPatterns, spellingsOf } from './destination-patterns';

// The thread of BlockedDestinations: a pattern that takes long holds nobody up but its successors.
const patterns = new DestinationPatterns((workerData as { sources: string[] }).sources);
parentPort?.on('message', (destination: string) => {
  parentPort?.postMessage(patterns.judge(spellingsOf(destination, new URL(destination))));
});
parentPort?.postMessage('ready');
