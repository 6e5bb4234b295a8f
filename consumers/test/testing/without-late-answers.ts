/** The faults without those of a busy machine: what Postgres has not answered within a second fails, and is tried again. */
export function withoutLateAnswers(faults: readonly unknown[]): readonly unknown[] {
  return faults.filter((fault) => !(fault instanceof Error && fault.name === 'LateAnswer'))
}
