import type { Command, Decider } from '../kernel.ts'
import { sameJson } from '../values.ts'
import type { CustomFieldConfigured, CustomFieldEvent } from './custom-field.events.ts'

/** Null while there is no such field. */
export type CustomFieldState = CustomFieldConfigured['data'] | null

/** Makes the field be as described. Its id comes from workspace and key, so its key never changes. */
export type ConfigureCustomField = Command<'ConfigureCustomField', CustomFieldConfigured['data']>

export const customFieldStream = (workspaceId: string, fieldId: string): string => `customfield-${workspaceId}-${fieldId}`

const decide = ({ data }: ConfigureCustomField, state: CustomFieldState): readonly CustomFieldEvent[] =>
  sameJson(data, state) ? [] : [{ type: 'CustomFieldConfigured', data }]

const evolve = (_: CustomFieldState, { data }: CustomFieldEvent): CustomFieldState => data

/** A description of a key inside a profile's `customProperties`; values are never checked against it. */
export const customField: Decider<ConfigureCustomField, CustomFieldEvent, CustomFieldState> = { decide, evolve, initialState: null }
