// Preloaded into a service: its children restart after at most 100 ms, however often they are
// killed. Only the delays are shortened; every start is real.
const { CHILD_BACKOFF } = require('../../../dist/processes/child-process/backoff.js');
CHILD_BACKOFF.ceilingMs = 100;
