import { type DkimEvent, ownValue } from '@tidings/domain'
import type { DkimKey } from '@tidings/providers'

/** Private keys by selector, and the selector in use. */
export type DkimOfSender = Readonly<{ active: string | null; privateKeys: Readonly<Record<string, string>> }>

const noKeys: DkimOfSender = { active: null, privateKeys: {} }

export function evolveDkimOfSender(known: DkimOfSender = noKeys, { type, data }: DkimEvent): DkimOfSender {
  if (type === 'DkimSelectorChosen') return { ...known, active: data.selector }
  return { ...known, privateKeys: { ...known.privateKeys, [data.selector]: data.privateKey } }
}

/** Null where none is in use, or the key was erased. */
export function activeKey(known: DkimOfSender | undefined, domain: string): DkimKey | null {
  const selector = known?.active ?? null
  const privateKey = selector === null ? undefined : ownValue(known?.privateKeys ?? {}, selector)
  return selector === null || !privateKey ? null : { domain, selector, privateKey }
}
