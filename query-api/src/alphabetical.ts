import { page } from '@tidings/http'
import type { standardWindow } from './window.ts'

type Option = Readonly<{ label: string }>

/** It ignores the case (G9). */
export const alphabetical = new Intl.Collator('en', { sensitivity: 'accent' }).compare

/** Equal rows keep the order in which they came. */
export function byLabel(a: Option, b: Option): number {
  return alphabetical(a.label, b.label)
}

/** A page of options that are few enough to be read in full (contract: Pagination): `total` is exact. */
export function sliced<Item>(all: readonly Item[], window: ReturnType<typeof standardWindow>) {
  return page(all.slice(window.offset, window.offset + window.limit), all.length, window)
}
