import { totalmem } from 'node:os'

/** The memory of this machine, or of the container where that has a bound, in bytes. */
export function machineMemory(): number {
  return Math.min(process.constrainedMemory() || Infinity, totalmem())
}
