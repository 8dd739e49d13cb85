/** What of an OpenAPI description the page shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  default?: unknown;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Content {
  [type: string]: { schema?: Schema };
}

export interface Operation {
  tags?: string[];
  summary?: string;
  description?: string;
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses?: Record<string, { description?: string; content?: Content }>;
}

export interface Description {
  info: { title: string; version: string; description?: string };
  servers?: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

export interface Entry {
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations by what they are about, in the order they are described. */
export function groups(description: Description): [string, Entry[]][] {
  const found = new Map<string, Entry[]>();
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const method of METHODS) {
      const operation = methods[method];
      if (!operation) continue;
      const tag = operation.tags?.[0] ?? 'Other';
      const id = `${method}-${path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '')}`;
      found.set(tag, [...(found.get(tag) ?? []), { id, method, path, operation }]);
    }
  }
  return [...found];
}

export const nameOfRef = (ref: string): string => ref.split('/').at(-1) ?? ref;

/** A type in a few words. */
export function inWords(schema: Schema | undefined): string {
  if (!schema) return '';
  if (schema.$ref) return nameOfRef(schema.$ref);
  const parts = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (parts) return parts.map(inWords).filter(Boolean).join(schema.allOf ? ' and ' : ' or ');
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'any'];
  return types
    .map((type) => {
      if (type === 'array') return `list of ${inWords(schema.items)}`;
      if (type === 'object' && typeof schema.additionalProperties === 'object') return `map of ${inWords(schema.additionalProperties)}`;
      return schema.format ? `${type} (${schema.format})` : type;
    })
    .join(' or ');
}

/** The shapes that a schema names, itself first. */
export function namesIn(schema: Schema | undefined): string[] {
  if (!schema) return [];
  if (schema.$ref) return [nameOfRef(schema.$ref)];
  const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
  return [...parts.flatMap(namesIn), ...namesIn(schema.items)];
}

/** All fields of a schema, those of its parts included. */
export function fieldsOf(schema: Schema | undefined, all: Record<string, Schema>, depth = 0): [string, Schema, boolean][] {
  if (!schema || depth > 5) return [];
  if (schema.$ref) return fieldsOf(all[nameOfRef(schema.$ref)], all, depth + 1);
  const parts = (schema.allOf ?? []).flatMap((part) => fieldsOf(part, all, depth + 1));
  const own = Object.entries(schema.properties ?? {}).map(([name, field]): [string, Schema, boolean] => [name, field, schema.required?.includes(name) ?? false]);
  return [...parts, ...own];
}
