import type { Driver } from './driver.ts'
import { hasPython, pythonDriver } from './python-driver.ts'
import { typescriptDriver } from './typescript-driver.ts'

/** Every client that the tree has, and that this machine can run. */
export const drivers: readonly Driver[] = [typescriptDriver, ...(hasPython ? [pythonDriver('sync'), pythonDriver('async')] : [])]
