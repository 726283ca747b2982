import { parentPort, workerData } from 'node:worker_threads';
import { DestinationPatterns } from './destination-patterns';

// The thread of BlockedDestinations: a pattern that takes long holds nobody up but its successors.
const patterns = new DestinationPatterns((workerData as { sources: string[] }).sources);
parentPort?.on('message', (spellings: string[]) => {
  parentPort?.postMessage(patterns.judge(spellings));
});
parentPort?.postMessage('ready');
