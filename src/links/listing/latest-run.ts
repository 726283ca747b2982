/**
 * Has a job run for everybody who asks, each time begun after the asking: who asks while it runs
 * gets the next run, together with all others who ask until then.
 */
export class CoalescedRunner {
  private running?: Promise<void>;
  private next?: Promise<void>;

  constructor(private readonly job: () => Promise<void>) {}

  run(): Promise<void> {
    if (this.next !== undefined) return this.next;
    if (this.running === undefined) return this.start();
    this.next = this.running.then(
      () => this.start(),
      () => this.start(),
    );
    return this.next;
  }

  private start(): Promise<void> {
    this.next = undefined;
    this.running = this.job().finally(() => (this.running = undefined));
    return this.running;
  }
}
