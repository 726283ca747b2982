// Preloaded into a service: its clock goes back by an hour once the file named in the environment
// exists. Workers inherit it; the recorder, whose environment is built from scratch, does not.
const { existsSync } = require('node:fs');

const HOUR_MS = 3_600_000;
const file = process.env.CURTAIL_TEST_CLOCK ?? '';
const RealDate = Date;
const realNow = Date.now.bind(Date);
let shift = 0;
setInterval(() => {
  shift = existsSync(file) ? -HOUR_MS : 0;
}, 50).unref();

const now = () => realNow() + shift;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
});
