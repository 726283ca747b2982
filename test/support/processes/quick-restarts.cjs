// Preloaded into a service: its children are started again after 100 ms at most, however often they
// are killed. Only the waits are cut; every start is a real one.
const { CHILD_BACKOFF } = require('../../../dist/processes/child-process/backoff.js');
CHILD_BACKOFF.ceilingMs = 100;
