export type ProgramEnvironment = Record<string, string | undefined>;

export interface CommandLine {
  command: string;
  args: string[];
}

export interface EngineHost {
  readonly logger: {
    info(message: string): void;
    warn(message: string): void;
  };
  /** Environment variables for programs that download files. */
  environment(): ProgramEnvironment;
  /** Acquires a machine-wide lock file; null if another process still holds it after `waitMs`. */
  lock(path: string, waitMs: number): Promise<{ release(): void } | null>;
}
