// Where the entries of each column of codes stand in a table that holds those of all columns, one after the other.
#pragma once

#include "core/binding.hpp"

namespace suffice {

// Refuses offsets that do not rise from 0 to the number of entries.
inline void expect_places(const Codes& offsets, std::size_t columns, std::size_t entries) {
    expect("offsets", offsets, columns + 1);
    const std::int64_t* at = offsets.data();
    bool fits = at[0] == 0 && at[columns] == static_cast<std::int64_t>(entries);
    for (std::size_t j = 0; j < columns; ++j) fits &= at[j + 1] >= at[j];
    if (!fits) throw nb::value_error("offsets must rise from 0 to the number of entries of the table");
}

}  // namespace suffice
