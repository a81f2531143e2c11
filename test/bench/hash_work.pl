# Builds hashes of arrays, joins and sorts them: many small scalars with short and long lives.
use strict;
use warnings;

my (%by_key, $characters);
for my $number (1 .. 200_000) {
    my $key = 'key ' . ($number * 5003 % 40_009);
    push @{$by_key{$key}}, "value $number";
    $characters += length join ',', @{$by_key{$key}} if $number % 4 == 0;
}
my @longest = sort { @{$by_key{$b}} <=> @{$by_key{$a}} || $a cmp $b } keys %by_key;
printf "%d keys, %d characters, longest %s\n", scalar @longest, $characters, $longest[0];
