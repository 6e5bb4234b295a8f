import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { RULE_LIMITS, type RuleOp } from '@tidings/domain'
import { useWords } from '../../words/words.tsx'
import {
  type DraftCondition,
  isNamed,
  kindOf,
  NAMED_SOURCES,
  opsOf,
  SOURCES,
  type ValueType,
  valueTypeOf,
  withOp,
  withSource,
} from './draft.ts'
import styles from './rule.module.css'

type Props = Readonly<{
  condition: DraftCondition
  number: string
  onChange: (next: DraftCondition) => void
  onRemove: (() => void) | null
}>

const VALUE_TYPES: readonly ValueType[] = ['text', 'number', 'boolean']
const typeIn = (text: string): ValueType => VALUE_TYPES.find((type) => type === text) ?? 'text'

/** One condition: a field, an operator that it has, and a value of its type. */
export function Condition({ condition, number, onChange, onRemove }: Props) {
  const { rules: words } = useWords()
  const { source, name, op, type } = condition
  const ops = opsOf(condition)
  return (
    <fieldset className={styles.condition}>
      <legend className={styles.number}>{words.condition(number)}</legend>
      <NativeSelect
        label={words.field}
        value={source}
        data={[...NAMED_SOURCES.map((value) => ({ value, label: words.sources[value] })), ...SOURCES]}
        onChange={(event) => onChange(withSource(condition, event.currentTarget.value))}
      />
      {isNamed(source) && (
        <TextInput
          label={source === 'customProperties' ? words.property : words.event}
          dir="auto"
          maxLength={255}
          value={name}
          onChange={(event) => onChange({ ...condition, name: event.currentTarget.value })}
        />
      )}
      <NativeSelect
        label={words.operator}
        value={op}
        data={ops.map((value) => ({ value, label: words.ops[value] }))}
        onChange={(event) => onChange(withOp(condition, opIn(ops, event.currentTarget.value)))}
      />
      {kindOf(condition) === 'property' && op !== 'exists' && op !== 'within_days' && (
        <NativeSelect
          label={words.type}
          value={type}
          data={VALUE_TYPES.map((value) => ({ value, label: words.types[value] }))}
          onChange={(event) => {
            const next = typeIn(event.currentTarget.value)
            onChange({ ...condition, type: next, value: next === 'boolean' ? 'true' : '' })
          }}
        />
      )}
      <Value condition={condition} onChange={onChange} />
      {onRemove && (
        <Button variant="default" onClick={onRemove} aria-label={words.removeCondition(number)}>
          {words.remove}
        </Button>
      )}
    </fieldset>
  )
}

const opIn = (ops: readonly RuleOp[], text: string): RuleOp => ops.find((op) => op === text) ?? 'eq'

function Value({ condition, onChange }: Pick<Props, 'condition' | 'onChange'>) {
  const { rules: words, ui } = useWords()
  const { op, value } = condition
  const type = valueTypeOf(condition)
  const set = (next: string): void => onChange({ ...condition, value: next })
  if (type === 'boolean')
    return (
      <NativeSelect
        label={words.value}
        value={value}
        data={[
          { value: 'true', label: ui.yes },
          { value: 'false', label: ui.no },
        ]}
        onChange={(event) => set(event.currentTarget.value)}
      />
    )
  if (op === 'in')
    return <Textarea label={words.values} dir="auto" rows={3} value={value} onChange={(event) => set(event.currentTarget.value)} />
  const label = op === 'within_days' ? words.days : kindOf(condition) === 'time' ? words.time : words.value
  return (
    <TextInput
      label={label}
      dir="auto"
      maxLength={RULE_LIMITS.text}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}
