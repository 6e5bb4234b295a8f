import { type Command, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { ownValue } from '../values.ts'

type DkimKeyRef = Readonly<{ domain: string; selector: string }>

// Stored for ever: change only together with an upcast.
/** A key that mail may be signed with (M26). `publicKey`: base64 of its SubjectPublicKeyInfo, as DNS shows it. `privateKey`: PKCS#8 as PEM. */
type DkimKeyCreated = Event<'DkimKeyCreated', DkimKeyRef & { publicKey: string; privateKey: string }>
/** Mail of the domain is signed with the key of `selector` from here on; null: with none. */
type DkimSelectorChosen = Event<'DkimSelectorChosen', { domain: string; selector: string | null }>
export type DkimEvent = DkimKeyCreated | DkimSelectorChosen

const dkimSubject = ({ domain, selector }: DkimKeyRef): string => `dkim:${domain}:${selector}`

export const dkimDeclarations = {
  DkimKeyCreated: { version: 1, personal: { subject: dkimSubject, fields: ['privateKey'], secret: ['privateKey'] } },
  DkimSelectorChosen: { version: 1 },
} as const satisfies EventDeclarations & Record<DkimEvent['type'], unknown>

type CreateDkimKey = Command<'CreateDkimKey', DkimKeyCreated['data']>
type ChooseDkimSelector = Command<'ChooseDkimSelector', DkimSelectorChosen['data']>
export type DkimCommand = CreateDkimKey | ChooseDkimSelector

/** `active`: the selector that mail is signed under; null where the relay alone signs. `keys`: public key by selector. */
export type DkimOfDomain = Readonly<{ active: string | null; keys: Readonly<Record<string, string>> }>
export type DkimByDomain = Readonly<Record<string, DkimOfDomain>>

/** Keys of one domain: one signs, one waits for DNS, the others are history. */
const MAX_KEYS = 50

const noKeys: DkimOfDomain = { active: null, keys: {} }

export function decideDkim(command: DkimCommand, byDomain: DkimByDomain): readonly DkimEvent[] {
  const { active, keys } = ownValue(byDomain, command.data.domain) ?? noKeys
  switch (command.type) {
    case 'CreateDkimKey':
      if (ownValue(keys, command.data.selector) !== undefined) return []
      if (Object.keys(keys).length >= MAX_KEYS) throw new Refused('dkim_key_limit', { limit: MAX_KEYS })
      return [{ type: 'DkimKeyCreated', data: command.data }]
    case 'ChooseDkimSelector': {
      const { selector } = command.data
      if (selector !== null && ownValue(keys, selector) === undefined) throw new Refused('dkim_key_not_found')
      return selector === active ? [] : [{ type: 'DkimSelectorChosen', data: command.data }]
    }
    default:
      return command satisfies never
  }
}

export function evolveDkim(byDomain: DkimByDomain, { type, data }: DkimEvent): DkimByDomain {
  const known = ownValue(byDomain, data.domain) ?? noKeys
  const next =
    type === 'DkimKeyCreated' ? { ...known, keys: { ...known.keys, [data.selector]: data.publicKey } } : { ...known, active: data.selector }
  return { ...byDomain, [data.domain]: next }
}
