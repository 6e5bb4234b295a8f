import type { WorkspaceId } from '../ids.ts'
import type { Command, Decider, Event, EventDeclarations } from '../kernel.ts'
import { sameJson } from '../values.ts'

export const CUSTOM_FIELD_KINDS = ['text', 'number', 'date', 'boolean', 'select', 'multiSelect', 'url', 'list'] as const
export type CustomFieldKind = (typeof CUSTOM_FIELD_KINDS)[number]
export type CustomFieldOption = Readonly<{ label: string; value: string }>

// Stored for ever: change only together with an upcast.
/** What holds for the field now, as a whole. Only a `select` and a `multiSelect` have options. */
type CustomFieldConfigured = Event<
  'CustomFieldConfigured',
  { fieldId: string; key: string; label: string; kind: CustomFieldKind; options: readonly CustomFieldOption[] }
>
export type CustomFieldEvent = CustomFieldConfigured

export const customFieldDeclarations = {
  CustomFieldConfigured: { version: 1 },
} as const satisfies EventDeclarations & Record<CustomFieldEvent['type'], unknown>

/** Null while there is no such field. */
type CustomFieldState = CustomFieldConfigured['data'] | null

/** Makes the field be as described. Its id comes from workspace and key, so its key never changes. */
export type ConfigureCustomField = Command<'ConfigureCustomField', CustomFieldConfigured['data']>

export function customFieldStream(workspaceId: WorkspaceId, fieldId: string): string {
  return `customfield-${workspaceId}-${fieldId}`
}

/** Custom fields that people may make; a workspace file may have more. A profile has at most so many properties. */
export const MAX_CUSTOM_FIELDS = 200
export const MAX_FIELD_OPTIONS = 1_000
/** Values and labels together: what is behind it would not fit into one append. */
const MAX_OPTION_CHARACTERS = 100_000

export function takesOptions(kind: CustomFieldKind): boolean {
  return kind === 'select' || kind === 'multiSelect'
}

/** What is wrong with the options of a field of this kind, as a sentence that begins with their name; null where nothing is. */
export function optionsMistake({
  kind,
  options,
}: Readonly<{ kind: CustomFieldKind; options: readonly CustomFieldOption[] }>): string | null {
  if (!takesOptions(kind)) return options.length === 0 ? null : `options is not a field of the kind ${kind}`
  if (options.length === 0) return `options is missing: a ${kind} needs at least one`
  const characters = options.reduce((sum, { value, label }) => sum + value.length + label.length, 0)
  if (characters > MAX_OPTION_CHARACTERS) return `options must have at most ${MAX_OPTION_CHARACTERS} characters together`
  const seen = new Set<string>()
  const again = options.findIndex(({ value }) => seen.size === seen.add(value).size)
  return again < 0 ? null : `options[${again}] repeats "${options[again]?.value}"`
}

const decide = ({ data }: ConfigureCustomField, state: CustomFieldState): readonly CustomFieldEvent[] =>
  sameJson(data, state) ? [] : [{ type: 'CustomFieldConfigured', data }]

const evolve = (_: CustomFieldState, { data }: CustomFieldEvent): CustomFieldState => data

/** A number as a program writes it: `042` and `+1` are texts, such as telephone numbers. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/

/** The value that a text says of a field of this kind: a number or truth value where the text is exactly one, else the text. */
export function declaredValue(text: string, kind: CustomFieldKind | undefined): string | number | boolean {
  if (kind === 'number' && NUMBER.test(text)) return Number(text)
  return kind === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

/** A description of a key inside a profile's `customProperties`; values are never checked against it. */
export const customField: Decider<ConfigureCustomField, CustomFieldEvent, CustomFieldState> = { decide, evolve, initialState: null }
