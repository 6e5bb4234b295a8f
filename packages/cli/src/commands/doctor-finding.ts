/** One line of the report. `mend` says what to do about a failed check, or advises about one that is well. */
export type Finding = Readonly<{ check: string; ok: boolean; said: string; mend?: string }>
