/** `more`: something may be left. */
type Cleaned = Readonly<{ rows: number; more: boolean }>

/**
 * One kind of rows that need not be kept. `run` deletes a bounded batch and answers how many; fewer than `batch` means that nothing is left, where it
 * does not say so itself.
 */
export type RetentionTask = Readonly<{ name: string; batch: number; run: (batch: number) => Promise<number | Cleaned> }>
