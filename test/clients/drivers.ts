import type { Driver } from './driver.ts'
import { typescriptDriver } from './typescript-driver.ts'

/** Every client that the tree has. */
export const drivers: readonly Driver[] = [typescriptDriver]
