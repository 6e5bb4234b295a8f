import { join } from 'node:path'
import type { KeptTable } from './tables.ts'

/** The paths of a backup's files. */
export function pathsIn(directory: string) {
  return {
    settings: join(directory, 'tidings.yaml'),
    secrets: join(directory, 'secrets'),
    tables: join(directory, 'tables'),
    table: (name: KeptTable) => join(directory, 'tables', `${name}.copy.gz`),
  }
}
