import { WrongMasterKey } from '@tidings/codec'
import { databaseFault } from '@tidings/postgres'

/** One line of the report. `mend` says what to do about a failed check, or advises about one that is well. */
export type Finding = Readonly<{ check: string; ok: boolean; said: string; mend?: string }>

/** What `work` says of something that is well; what it throws is a failed check, with what to do about it. */
export async function findingOf(check: string, mend: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, said: await work() }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    // The sentence about a key says what to do, and where.
    if (error instanceof Error && error.cause instanceof WrongMasterKey) return { check, ok: false, said }
    const fault = databaseFault(error)
    if (fault === null) return { check, ok: false, said, mend }
    // The sentence of a start says both.
    return said.includes(fault.said) ? { check, ok: false, said } : { check, ok: false, said: `${fault.said}.`, mend: fault.mend }
  }
}
