"""Estimators as commands: every declared parameter becomes an option."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

Run = Callable[..., None]


class Value(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """The text of an option as the value of a declared parameter: a number, a choice, yes or no, or a JSON list."""

    def __init__(self, rule: Any, name: str) -> None:
        self.rule, self.name = rule, name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """The first reading of the text that the declaration allows."""
        if not isinstance(value, str):
            return value
        for read in readings(value):
            if self.rule.allows(read):
                return read
        from ..errors import did_you_mean

        hint = did_you_mean(value, [word for word in self.rule.words if isinstance(word, str)])
        return self.fail(f"{value!r} is not {self.rule}.{hint}", param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """What may stand after the option, in the help."""
        words = [str(choice) for choice in self.rule.words if choice is not None]
        number = "INTEGER" if self.rule.integer else "NUMBER" if self.rule.number else ""
        return "|".join([number, *words] if number else words) or "VALUE"


def readings(text: str) -> Iterable[object]:
    """What the text of an option may be, the likeliest first."""
    words = {"none": None, "true": True, "false": False, "yes": True, "no": False}
    if text.lower() in words:
        yield words[text.lower()]
    for number in (int, float):
        try:
            yield number(text)
        except ValueError:
            continue
    yield text
    try:
        yield json.loads(text)
    except json.JSONDecodeError:
        return


def parameter_options(cls: type[Any], called: Mapping[str, str]) -> list[click.Option]:
    """One option for each declared parameter that is called something."""
    from .. import params

    options = []
    for name, rule in params.declared(cls).items():
        if name not in called:
            continue
        default = cls.__dataclass_fields__[name].default
        options.append(
            click.Option(
                [f"--{called[name].replace('_', '-')}", called[name]],
                type=Value(rule, name),
                default=None,
                help=f"{rule.doc} [default: {default}]",
            )
        )
    return options


class ModelGroup(click.Group):
    """A group with a command for each estimator; `run(cls, parameters, **options)` does the work."""

    def __init__(self, *args: Any, run: Run, extra: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.run, self.extra = run, extra

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the estimators."""
        from ..models.registry import estimators

        return list(estimators())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of an estimator, whatever the case of its name."""
        from ..errors import InvalidParameter
        from ..models.registry import estimator_named

        try:
            cls = estimator_named(cmd_name)
        except InvalidParameter as error:
            return ctx.fail(str(error))
        return self._command(cls.__name__, cls)

    def _command(self, name: str, cls: type[object]) -> click.Command:
        from .. import params

        # A parameter with the name of an option that says how tables are read is `--model-NAME`; the seed has its own.
        called = {key: key for key in params.declared(cls) if key != "random_state"}

        def callback(**options: object) -> None:
            chosen = {key: options.pop(name) for key, name in called.items()}
            self.run(cls, {key: value for key, value in chosen.items() if value is not None}, **options)

        summary = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
        decorated = self.extra(callback)
        command = click.Command(name, callback=decorated, help=summary, short_help=summary.split(":")[0])
        own = getattr(decorated, "__click_params__", [])[::-1]
        taken = {option.name for option in own}
        called |= {key: f"model_{key}" for key in called if key in taken}
        command.params = [*own, *parameter_options(cls, called)]
        return command


def made(cls: type[object], parameters: Mapping[str, object], seed: int | None) -> Any:
    """The estimator with its parameters; the seed where it draws random numbers."""
    from .. import params

    if seed is not None and "random_state" in params.declared(cls):
        parameters = {**parameters, "random_state": seed}
    return cls(**parameters)
