// Which labels may a selector ask for? Label selectors of pods and namespaces, node selectors of windows, requirements of pools.
import type { Operator } from '../../cluster/selector.ts';
import { choice, list, type Rule, record, type Schema, withRules } from './schema.ts';
import { labelName, labels, labelValue } from './texts.ts';

/** What a person can still read; the bounds keep the cost of the checks known. */
const maxExpressions = 50;
/** A pool may name every instance type of a cloud. */
const maxValues = 1000;

export const operatorRules: readonly Rule[] = [
  {
    rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
    message: 'In and NotIn need at least one value',
  },
  {
    rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",
    message: 'Exists and DoesNotExist take no values',
  },
  {
    rule: "!(self.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(self.values) && size(self.values) == 1 && self.values[0].matches('^[0-9]{1,18}$'))",
    message: 'Gt, Lt, Gte and Lte need one whole number, in quotes',
  },
];

export const operatorField = (operators: readonly Operator[]): Schema =>
  choice('How the label is compared with the values.', operators);

export const valuesField: Schema = list('What the label is compared with.', labelValue('A value of the label.'), {
  maxItems: maxValues,
});

function expression(operators: readonly Operator[]): Schema {
  // A label selector knows no numbers: there is nothing to check.
  const rules = operatorRules.filter(({ rule }) => operators.some((operator) => rule.includes(`'${operator}'`)));
  return withRules(
    record(
      'What is asked of one label.',
      { key: labelName('The label.'), operator: operatorField(operators), values: valuesField },
      { required: ['key', 'operator'] },
    ),
    ...rules,
  );
}

/** All that it asks for must hold. */
export const selector = (description: string, operators: readonly Operator[]): Schema =>
  record(description, {
    matchLabels: labels('Labels with the very values they must have.'),
    matchExpressions: list('Further conditions on labels, all of which must hold.', expression(operators), {
      maxItems: maxExpressions,
    }),
  });
