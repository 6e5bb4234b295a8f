import { program } from '@tidings/cli'
import { table } from '../markdown.ts'

type Command = ReturnType<typeof program>

const shape = ({ name, required, variadic }: Readonly<{ name: string; required: boolean; variadic: boolean }>): string => {
  const text = `${name}${variadic ? '…' : ''}`
  return required ? `<${text}>` : `[${text}]`
}

const rowsOf = (command: Command, path: string): readonly (readonly string[])[] => {
  if (command.commands.length > 0) return command.commands.flatMap((child) => rowsOf(child, `${path} ${child.name()}`))
  const usage = [path, ...command.registeredArguments.map((a) => shape({ name: a.name(), required: a.required, variadic: a.variadic }))]
  const options = command.options
    .filter(({ long }) => long !== '--json')
    .map(({ flags, mandatory, defaultValue, description }) => {
      const more = mandatory ? ', required' : defaultValue === undefined ? '' : `, default \`${String(defaultValue)}\``
      return `\`${flags}\`: ${description}${more}`
    })
  return [[`\`${usage.join(' ')}\``, command.description() || '–', options.join('; ') || '–']]
}

/** Every command as the program itself declares it. */
export function commands(): string {
  return table(
    ['command', 'does', 'options'],
    program().commands.flatMap((child) => rowsOf(child, child.name())),
  )
}
