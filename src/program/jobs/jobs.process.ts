import { runJobsProcess } from './run-jobs-process';

/**
 * The modules of features that provide kinds of job (JobKind), to run in this process; there is none
 * yet. CONTRIBUTING.md has the recipe.
 */
const KIND_MODULES = [] as const;

/** Entry of the jobs process: started by the primary, one a machine. */
void runJobsProcess(KIND_MODULES);
