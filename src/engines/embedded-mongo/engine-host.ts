/** The variables of the environment that a program is started with. */
export type ProgramEnvironment = Record<string, string | undefined>;

/** How a program is started: its command line. */
export interface CommandLine {
  command: string;
  args: string[];
}

/** Services that the engine needs from the program that starts it. */
export interface EngineHost {
  readonly logger: {
    info(message: string): void;
    warn(message: string): void;
  };
  /** Returns what programs that download may see of the environment. */
  environment(): ProgramEnvironment;
  /**
   * Takes a lock file that no other process of this machine holds, waiting for it; null when it is
   * still held after that time.
   */
  lock(path: string, waitMs: number): Promise<{ release(): void } | null>;
}
