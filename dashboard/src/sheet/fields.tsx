import { useState } from 'react'
import { CodeDifference, CodeEditor } from '../ui/code-editor.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { EventValues } from '../ui/event-values.tsx'
import { NameField } from '../ui/name-field.tsx'
import { PasswordForm } from '../ui/password-form.tsx'
import { PropertiesInput } from '../ui/properties-input.tsx'
import { type RuleDraft, ruleDraftOf } from '../ui/rule/rule-draft.ts'
import { RuleFields } from '../ui/rule/rule-fields.tsx'
import { TypedFilter } from '../ui/typed-filter.tsx'

type FieldProps = Readonly<{ first: string; field: (value: string, onChange: (value: string) => void) => React.ReactNode }>

/** Keeps what is typed into the field. */
function Field({ first, field }: FieldProps) {
  const [value, setValue] = useState(first)
  return field(value, setValue)
}

const RULE = {
  all: [
    { field: 'locale', op: 'eq', value: 'he' },
    {
      any: [
        { field: 'firstName', op: 'eq', value: 'נועה' },
        { field: 'tags', op: 'contains', value: 'tea' },
      ],
    },
  ],
}

function Rule() {
  const [draft, setDraft] = useState<RuleDraft>(() => ruleDraftOf(RULE))
  return <RuleFields draft={draft} onChange={setDraft} />
}

export const FIELDS = {
  'name-field': () => (
    <Field
      first="Newsletter"
      field={(value, onChange) => <NameField label="Name" description="In any script." value={value} onChange={onChange} />}
    />
  ),
  'email-field': () => <Field first="ada@shop.example" field={(email, onChange) => <EmailField email={email} onChange={onChange} />} />,
  'typed-filter': () => (
    <Field first="" field={(value, onChange) => <TypedFilter label="Name" help="a part of it" value={value} onChange={onChange} />} />
  ),
  'properties-input': () => (
    <Field first="{ no JSON" field={(text, onChange) => <PropertiesInput label="Properties" text={text} onChange={onChange} />} />
  ),
  'event-values': () => <Field first='{ "sku": "TEA-1" }' field={(text, onChange) => <EventValues text={text} onChange={onChange} />} />,
  'password-form': () => <PasswordForm wantsCurrent verb="Change" onDone={() => undefined} />,
  'code-editor': () => (
    <>
      <Field
        first={'<h1>Thank you, {{firstName|friend}}</h1>\n<p>שלום</p>'}
        field={(value, onChange) => <CodeEditor label="HTML" value={value} words={[]} onChange={onChange} />}
      />
      <CodeDifference before="<p>Spring</p>" after="<p>Spring is here</p>" label="Difference">
        {null}
      </CodeDifference>
    </>
  ),
  'rule/rule-fields': Rule,
} as const
